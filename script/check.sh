#!/bin/sh
# Checks the code without running it: format, vet, lint, generated files, builds for all systems.
set -eu
cd "$(dirname "$0")/.."

say() { echo "check: $*"; }

say format
unformatted=$(gofmt -l $(git ls-files '*.go'))
if [ -n "$unformatted" ]; then
	echo "these files are not formatted, run gofmt -w on them:" >&2
	echo "$unformatted" >&2
	exit 1
fi

say vet
go vet ./...
go vet -tags job ./cmd/blq
go vet -tags browser ./cmd/blqd

say modules
go mod tidy -diff
go mod verify >/dev/null

say lint
sh script/lint.sh

say manifests
sh script/kube.sh

say generated
sh script/generate.sh verify

systems="linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64"
for target in $systems; do
	for program in blq-job blq; do
		say "build $program $target"
		GOOS=${target%/*} GOARCH=${target#*/} sh script/compile.sh $program "bin/check/$program-${target%/*}-${target#*/}"
	done
done
for f in bin/check/blq-job-*; do
	size=$(wc -c <"$f") archived=$(gzip -9 -c "$f" | wc -c)
	if [ "$size" -gt $((20 * 1024 * 1024)) ] || [ "$archived" -gt $((8 * 1024 * 1024)) ]; then
		echo "$f has $size bytes, $archived in an archive; keep it under 20 and 8 MB of 2^20 bytes: jobs download it" >&2
		exit 1
	fi
done
for target in linux/amd64 linux/arm64; do
	say "build blqd $target"
	GOOS=${target%/*} GOARCH=${target#*/} sh script/compile.sh blqd bin/check/blqd
done
rm -rf bin/check
say ok
