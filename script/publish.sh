#!/bin/sh
# Publishes a release: publish.sh VERSION. The archives must be in dist/, and the images must be
# pushed. JOB_IMAGE and TOOLBOX_IMAGE are the images by digest. A new commit pins the Action to
# them, and gets the tags.
set -eu
cd "$(dirname "$0")/.."
version=$1
go run ./script/release pin "$version" "$JOB_IMAGE" "$TOOLBOX_IMAGE" dist/SHA256SUMS
git config user.name "github-actions[bot]"
git config user.email "41898282+github-actions[bot]@users.noreply.github.com"
git add action.yml action
git commit --quiet --message "$version: the Action takes the images and archives of this release"
git tag "$version"
git push origin "refs/tags/$version"
before=
case $version in *-*) before=--prerelease ;; esac
gh release create "$version" --verify-tag --generate-notes $before dist/*
if [ -z "$before" ]; then
	git tag --force "${version%%.*}"
	git push --force origin "refs/tags/${version%%.*}"
fi
