#!/bin/sh
# Runs every test and installs what they need, or says what is missing. The race detector is on,
# except for stories of whole programs and suites over whole servers, whose concurrent parts have
# tests of their own, and for packages without concurrency, where it only takes time.
set -eu
cd "$(dirname "$0")/.."

missing=""
command -v gcc >/dev/null || missing="$missing gcc libc6-dev"
command -v make >/dev/null || missing="$missing make"
command -v git >/dev/null || missing="$missing git"
command -v python3 >/dev/null || missing="$missing python3"
# On Debian, PostgreSQL's server programs are not in PATH.
[ -n "${BLQ_TEST_POSTGRES:-}" ] || command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing="$missing postgresql"
if [ -n "$missing" ]; then
	if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
		apt-get update -qq && apt-get install -y -qq $missing >/dev/null
	else
		echo "make test needs these programs, please install them:$missing" >&2
		exit 1
	fi
fi

plain='/cmd/|/blq/ingest$|/blq/mcp$|/internal/markdown$|/internal/layout$|/e2e/|/script/'
CGO_ENABLED=1 go test -race -timeout 20m "$@" $(go list ./... | grep -Ev "$plain")
go test -timeout 20m "$@" $(go list ./... | grep -E "$plain")
go test -tags report -run TestActionReport ./cmd/blq
# Tests of memory use, which the race detector would distort.
go test -run Memory ./internal/capture
