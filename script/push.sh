#!/bin/sh
# Pushes the images of a release, with buildx.
#
#	push.sh image VERSION REGISTRY DIR   builds images for this machine's architecture and pushes
#	                                     them without a tag; writes their digests into DIR
#	push.sh join VERSION REGISTRY DIR    joins the images of all architectures, tags them
#	                                     v1.2.3 and v1, and prints TARGET=DIGEST lines
set -eu
cd "$(dirname "$0")/.."
what=$1 version=$2 registry=$3 dir=$4

name() {
	case $1 in
	job | toolbox) echo "$registry/blq-$1" ;;
	*) echo "$registry/$1" ;;
	esac
}

case $what in
image)
	arch=$(go env GOARCH)
	mkdir -p "$dir"
	for program in blq blq-job blqd; do
		GOOS=linux VERSION=$version sh script/compile.sh $program "bin/image/linux-$arch/$program"
	done
	for target in blq job blqd toolbox; do
		docker buildx build --target $target --platform "linux/$arch" --provenance false \
			--build-arg PROGRAMS=prebuilt --build-arg VERSION="$version" --build-arg REVISION="$(git rev-parse HEAD)" \
			--output "type=image,name=$(name $target),push-by-digest=true,name-canonical=true,push=true" \
			--metadata-file "$dir/$target.json" .
		jq --exit-status --raw-output '."containerimage.digest"' "$dir/$target.json" >"$dir/$target"
	done
	;;
join)
	for target in blq job blqd toolbox; do
		image=$(name $target)
		tags="--tag $image:$version"
		case $version in
		*-*) ;; # a pre-release moves no other tag
		*) tags="$tags --tag $image:${version%%.*}" ;;
		esac
		docker buildx imagetools create $tags $(cat "$dir"/*/$target | sed "s|^|$image@|") >&2
		digest=$(docker buildx imagetools inspect "$image:$version" --format '{{json .Manifest}}' |
			jq --exit-status --raw-output .digest)
		echo "$target=$digest"
	done
	;;
esac
