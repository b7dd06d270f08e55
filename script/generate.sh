#!/bin/sh
# Writes (write) or compares (verify) the parts of documents that come from
# the code: the tables of formats and tools in README.md, and docs/tools.md.
set -eu
cd "$(dirname "$0")/.."
mode=${1:-write}

new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
go build -o "$new/blq" ./cmd/blq

# between NAME COMMAND puts what the command prints between the marks of that name.
between() {
	TABLE=$("$new/blq" $2) awk -v name="$1" '
		$0 ~ "<!-- " name ": begin" { print; print ENVIRON["TABLE"]; skip = 1; next }
		$0 ~ "<!-- " name ": end"   { skip = 0 }
		!skip                       { print }
	'
}
between formats "formats --markdown" <README.md | between tools "mcp tools --markdown" >"$new/README.md"
{
	echo "# Tools for agents"
	echo
	echo "Written by \`make generate\` from the code. How to connect an agent: [README](../README.md#agents)."
	echo
	"$new/blq" mcp tools --reference
} >"$new/tools.md"

case $mode in
write)
	cat "$new/README.md" >README.md
	cat "$new/tools.md" >docs/tools.md
	;;
verify)
	diff -u README.md "$new/README.md" && diff -u docs/tools.md "$new/tools.md" || {
		echo "documents are not what the code says: run make generate" >&2
		exit 1
	}
	;;
esac
