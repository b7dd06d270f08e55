#!/bin/sh
# Runs every test: under the race detector where packages have goroutines of
# their own. It takes only time where they have none, in stories of whole
# programs, and in suites over whole servers, whose goroutines are tested in
# packages of their own. A package that only guards tables is tested without it,
# except for the tests of those. More packages and tests run at once than there are
# processors, as many wait for disks, processes and timeouts. What the tests need
# and the machine lacks is installed where that is possible; otherwise the script
# says what is missing.
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

plain='/cmd/|/e2e/|/script/|/blq/(ingest|mcp|query|query/questions|query/remote|store|store/blob/open|action/report)$'
plain="$plain|/internal/(ci|clientconfig|cmdline|dispatch|github/event|layout|lazyregexp|maintenance|markdown|pgtest)\$"
plain="$plain|/internal/(redact|settings|shellword|step|workflowcommand)\$|/examples/|/facts/docs/markup\$|/parse/formats\$"
# Without symbols, the test programs are linked in half the time. make check vets.
tests() { go test -vet=off -ldflags='-s -w' -p 3 -parallel 4 -timeout 20m "$@"; }

# Both kinds run at once: where one waits for the end of its slowest test, the
# other compiles.
packages=$(go list ./...)
(
	tests "$@" $(echo "$packages" | grep -E "$plain")
	tests -tags report -run TestActionReport ./cmd/blq
	# Tests of memory, which the race detector would need most of.
	tests -run Memory ./internal/capture
	CGO_ENABLED=1 tests -race -run WhileStreamsRun ./internal/redact
) &
# SQLite is generated code of somebody else: the detector watches those who call it.
failed=0
CGO_ENABLED=1 tests -race -gcflags='modernc.org/...=-race=false -d=checkptr=0' "$@" \
	$(echo "$packages" | grep -Ev "$plain") || failed=1
wait $! || failed=1
exit $failed
