#!/bin/sh
# Lints the code with golangci-lint and workflows with actionlint. Both have pinned versions and are
# built once, into bin/tools.
set -eu
cd "$(dirname "$0")/.."

# tool NAME VERSION PACKAGE builds a program unless it exists.
tool() {
	[ ! -x "bin/tools/$1-$2" ] || return 0
	echo "building $1 $2 (once)"
	GOBIN=$PWD/bin/tools GOFLAGS= go install "$3@$2"
	mv "bin/tools/$1" "bin/tools/$1-$2"
}

golangci=v2.15.0
actionlint=v1.7.12
tool golangci-lint $golangci github.com/golangci/golangci-lint/v2/cmd/golangci-lint
tool actionlint $actionlint github.com/rhysd/actionlint/cmd/actionlint
# shellcheck and pyflakes are off, because actionlint runs them only if they are installed. The ignored
# errors are about called workflows of projects in testdata, which actionlint looks for in another place.
grep -l '^jobs:' $(git ls-files '*.yml' '*.yaml') | xargs bin/tools/actionlint-$actionlint -shellcheck= -pyflakes= -ignore 'could not read reusable workflow file'
bin/tools/golangci-lint-$golangci run ./...
bin/tools/golangci-lint-$golangci run --build-tags job ./cmd/blq
