#!/bin/sh
# Compiles a program as it is released: compile.sh blq|blq-report|blqd FILE. GOOS,
# GOARCH and VERSION say for what and which. blq-report is blq that can write the
# report of a workflow run, too.
set -eu
cd "$(dirname "$0")/.."
package=blq tags=nethttpomithttp2 # HTTP/2 is half a megabyte of every job's download
# Libraries in which no time is spent: without inlining they are a quarter of a
# megabyte smaller.
cold="github.com/mark3labs/... github.com/pelletier/... github.com/pressly/... github.com/santhosh-tekuri/...
	github.com/spf13/... github.com/yosida95/... golang.org/x/text/... text/template/..."
case $1 in
blq) ;;
blq-report) tags=$tags,report ;;
*) package=$1 tags='' cold='' ;;
esac
out=$2
set --
for library in $cold; do set -- "$@" "-gcflags=$library=-l"; done
CGO_ENABLED=0 ${GO:-go} build -buildvcs=false -tags "$tags" "$@" -trimpath -ldflags "-s -w -X main.version=${VERSION:-dev}" -o "$out" "./cmd/$package"
