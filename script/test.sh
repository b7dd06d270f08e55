#!/bin/sh
# Runs the tests: test.sh [race | faults] [FLAGS OF go test]. By default it runs all tests
# except those of make e2e and make faults. "race" runs the tests that start goroutines
# under the race detector. It skips stories of whole programs and suites over whole
# servers: their goroutines are tested in packages of their own. "faults" runs the tests
# of make faults. More packages and tests run at once than there are processors, because
# many wait for disks, processes and timeouts. The script installs what the tests need
# if it can. Otherwise it says what is missing.
set -eu
cd "$(dirname "$0")/.."

missing=""
command -v gcc >/dev/null || missing="$missing gcc libc6-dev"
command -v make >/dev/null || missing="$missing make"
command -v git >/dev/null || missing="$missing git"
command -v jq >/dev/null || missing="$missing jq"
command -v rsync >/dev/null || missing="$missing rsync"
command -v sqlite3 >/dev/null || missing="$missing sqlite3"
command -v python3 >/dev/null || missing="$missing python3"
# On Debian, PostgreSQL's server programs are not in PATH.
[ -n "${BLQ_TEST_POSTGRES:-}" ] || command -v initdb >/dev/null ||
	ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing="$missing postgresql"
if [ -n "$missing" ]; then
	if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
		apt-get update -qq && apt-get install -y -qq $missing >/dev/null
	else
		echo "make test needs these programs, please install them:$missing" >&2
		exit 1
	fi
fi

# Tests wait less if their files are in memory. This needs room, and the right to run programs from there.
tmp=$(mktemp -d "${TMPDIR:-/tmp}/blq-test.XXXXXX")
if [ -z "${TMPDIR:-}" ] && shm=$(mktemp -d /dev/shm/blq-test.XXXXXX 2>/dev/null); then
	echo '#!/bin/sh' >"$shm/true" && chmod +x "$shm/true"
	if "$shm/true" 2>/dev/null && [ "$(df -Pk /dev/shm | awk 'END {print $4}')" -gt 8000000 ]; then
		rmdir "$tmp"
		tmp=$shm
	fi
	rm -f "$shm/true"
	[ "$tmp" = "$shm" ] || rmdir "$shm"
fi
chmod 755 "$tmp" # PostgreSQL runs as a user of its own
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM
export TMPDIR="$tmp"

# Without symbols, linking the test programs takes half the time. make check runs vet. With fewer garbage collections,
# the compiler and the programs under test take a tenth less time.
export GOGC=400
tests() { go test -vet=off -ldflags='-s -w' -p 3 -parallel 4 -timeout 20m "$@"; }
case "${1:-}" in
race) shift ;;
faults)
	shift
	tests -count=1 ./e2e/faults "$@"
	exit
	;;
*)
	# make check compiles the packages that have no tests.
	tests "$@" $(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./... | grep -v '/e2e/faults$') &
	failed=0
	tests -tags job -run TestJob ./cmd/blq || failed=1
	wait $! || failed=1
	exit $failed
	;;
esac

# Packages without goroutines, and packages that only wait for whole programs or servers.
plain='/cmd/|/e2e/|/script/|/examples/|/blq/(ingest|mcp|query|query/questions|query/remote|store|action/report)$'
plain="$plain|/store/blob/open\$|/ingest/parse/formats\$|/facts/docs/markup\$"
plain="$plain|/internal/(ci|clientconfig|cmdline|dispatch|github/event|layout|lazyregexp|maintenance|markdown|pgtest)\$"
plain="$plain|/internal/(realms|redact|settings|shellword|step|workflowcommand)\$"

# The detector needs additional memory. SQLite is generated code of others, so the detector watches only its callers.
race() { CGO_ENABLED=1 tests -race -exec 'env -u GOGC' -gcflags='modernc.org/...=-race=false -d=checkptr=0' "$@"; }

# Tests of memory and of statements in cages would exceed their limits.
race -skip 'TestCaged|Memory' "$@" $(go list ./... | grep -Ev "$plain")
race -run 'WhileStreamsRun|EachConsumerIsToldOnce|WhatIsAnnounced' "$@" ./internal/redact ./internal/realms
