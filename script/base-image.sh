#!/bin/sh
# Makes the base image of the Dockerfile if no registry answers: base-image.sh NAME. debootstrap
# downloads Debian from its mirror, and the Docker engine keeps the image.
set -eu
name=${1:?name of the image}
release=trixie
docker=${DOCKER:-docker}

"$docker" image inspect "$name" >/dev/null 2>&1 && exit
if ! command -v debootstrap >/dev/null; then
	if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
		echo "$name is made with debootstrap, as root: please install it" >&2
		exit 1
	fi
	apt-get update -qq && apt-get install -y -qq debootstrap >/dev/null
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
echo "making $name of Debian $release (once)" >&2
if ! debootstrap --variant=minbase --include=ca-certificates "$release" "$dir/root" >"$dir/log" 2>&1; then
	tail -n 20 "$dir/log" >&2
	exit 1
fi
rm -rf "$dir"/root/var/cache/apt/archives/*.deb "$dir"/root/var/lib/apt/lists/*
tar -C "$dir/root" -c . | "$docker" import - "$name" >/dev/null
