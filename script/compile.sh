#!/bin/sh
# Compiles a program as it is released: compile.sh blq|blq-report|blqd FILE. GOOS,
# GOARCH and VERSION say for what and which. blq-report is blq that can write the
# report of a workflow run, too.
set -eu
cd "$(dirname "$0")/.."
package=blq tags=nethttpomithttp2 # HTTP/2 is half a megabyte of every job's download
case $1 in
blq) ;;
blq-report) tags=$tags,report ;;
*) package=$1 tags= ;;
esac
CGO_ENABLED=0 ${GO:-go} build -buildvcs=false -tags "$tags" -trimpath -ldflags "-s -w -X main.version=${VERSION:-dev}" -o "$2" "./cmd/$package"
