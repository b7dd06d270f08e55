#!/bin/sh
# Builds the programs for all systems, or for those given as arguments (systems.sh linux/amd64 darwin/arm64),
# and checks how large the program is that jobs download.
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
programs=bin/systems
rm -rf $programs

for system in "$@"; do
	for program in blq-job blq; do
		echo "build $program $system"
		GOOS=${system%/*} GOARCH=${system#*/} sh script/compile.sh $program "$programs/$program-${system%/*}-${system#*/}"
	done
	case $system in linux/*)
		echo "build blqd $system"
		GOOS=linux GOARCH=${system#*/} sh script/compile.sh blqd "$programs/blqd"
		;;
	esac
done
for f in $programs/blq-job-*; do
	size=$(wc -c <"$f") archived=$(gzip -9 -c "$f" | wc -c)
	if [ "$size" -gt $((20 * 1024 * 1024)) ] || [ "$archived" -gt $((8 * 1024 * 1024)) ]; then
		echo "$f has $size bytes, $archived in an archive; keep it under 20 and 8 MB of 2^20 bytes: jobs download it" >&2
		exit 1
	fi
done
rm -rf $programs
