#!/bin/sh
# Measures blq against common tools. docs/performance.md describes the method.
set -eu
cd "$(dirname "$0")/.."
if ! command -v rg >/dev/null; then
	if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
		apt-get update -qq && apt-get install -y -qq ripgrep >/dev/null
	else
		echo "make bench compares with ripgrep: please install rg" >&2
		exit 1
	fi
fi
go run ./script/bench -blq "${BLQ:?path of the blq binary}"
go test ./internal/redact -run '^$' -bench Stream
go test ./store/sqlite ./store/chunk ./ingest/parse/formats -run '^$' \
	-bench 'Open$|AddEvents|Read|Write|Scan|Parse' -benchtime 3x
