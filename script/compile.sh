#!/bin/sh
# Compiles a program as it is released: compile.sh blq|blqd FILE. GOOS, GOARCH
# and VERSION say for what and which.
set -eu
cd "$(dirname "$0")/.."
tags=
[ "$1" = blqd ] || tags=nethttpomithttp2 # HTTP/2 is half a megabyte of every job's download
CGO_ENABLED=0 ${GO:-go} build -buildvcs=false -tags "$tags" -trimpath -ldflags "-s -w -X main.version=${VERSION:-dev}" -o "$2" "./cmd/$1"
