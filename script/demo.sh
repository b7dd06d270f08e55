#!/bin/sh
# Shows blq on real failing builds: a C project under make, before and after a
# change, and a Go package whose test fails.
set -eu
BLQ=${BLQ:?path of the blq binary}
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset BLQ_DIR
cp -R "$root/script/demo/." "$work/"
cd "$work"

say() { printf '\n$ %s\n' "$*"; }
show() { say "blq $*"; "$BLQ" "$@" || true; }
unset MAKEFLAGS MAKELEVEL MFLAGS

if ! command -v cc >/dev/null || ! command -v make >/dev/null; then
	if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
		apt-get update -qq && apt-get install -y -qq gcc make libc6-dev >/dev/null
	else
		echo "the demo builds a C program: please install make and a C compiler" >&2
		exit 1
	fi
fi

show run --name build -- make -k
show errors
show inspect build:1:1
sed 's/counnt/3/' main.c >fixed.c && mv fixed.c main.c
sed 's/int n)/int m)/' sum.c >broken.c && mv broken.c sum.c
show run --quiet --name build -- make -k
show diff
show run --quiet --name test -- go test ./...
show errors test
show status
show query "SELECT tool_name, severity, COUNT(*) AS events FROM blq_load_events() GROUP BY 1, 2 ORDER BY 3 DESC"
