#!/bin/sh
# Builds the images blq, blq-job, blqd and blq-toolbox for this machine, through
# script/docker.sh. It builds the programs and the base image itself, so it needs no registry.
# DEBIAN_IMAGE sets another base image (such as debian:trixie-slim), TAG another tag than "local",
# and TARGETS selects some of the images.
set -eu
cd "$(dirname "$0")/.."
arch=$(go env GOARCH)
version=$(git describe --tags --always --dirty 2>/dev/null || echo dev)
tag=${TAG:-local}
targets=${TARGETS:-blq job blqd toolbox}

rm -rf bin/image
if [ -z "${DEBIAN_IMAGE:-}" ]; then
	DEBIAN_IMAGE=blq-base:trixie
	sh script/base-image.sh "$DEBIAN_IMAGE"
fi
for target in $targets; do
	name=$target programs=blq
	case $target in
	job) name=blq-job programs=blq-job ;;
	toolbox) name=blq-toolbox programs=blq-job ;;
	blqd) programs="blq blqd" ;;
	esac
	for program in $programs; do
		file=bin/image/linux-$arch/$program
		[ -e "$file" ] || VERSION=$version GOOS=linux GOARCH=$arch sh script/compile.sh $program "$file"
	done
	"${DOCKER:-docker}" build --quiet --target "$target" --tag "$name:$tag" \
		--build-arg PROGRAMS=prebuilt --build-arg DEBIAN_IMAGE="$DEBIAN_IMAGE" \
		--build-arg VERSION="$version" --build-arg REVISION="$(git rev-parse HEAD 2>/dev/null || true)" . >/dev/null
	"${DOCKER:-docker}" image ls --format '{{.Repository}}:{{.Tag}} {{.Size}}' "$name:$tag"
done
