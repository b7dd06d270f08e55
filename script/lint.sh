#!/bin/sh
# Lints with a pinned golangci-lint, which is built once into bin/tools.
set -eu
cd "$(dirname "$0")/.."
version=v2.15.0
tool=bin/tools/golangci-lint-$version
if [ ! -x "$tool" ]; then
	echo "building golangci-lint $version (once)"
	GOBIN=$PWD/bin/tools GOFLAGS= go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$version
	mv bin/tools/golangci-lint "$tool"
fi
"$tool" run ./...
