#!/bin/sh
# Writes (write) or compares (verify) the generated parts of documents: the table of formats in
# docs/formats.md, the table of tools in docs/mcp.md, and docs/tools.md.
set -eu
cd "$(dirname "$0")/.."
mode=${1:-write}

new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
go build -o "$new/blq" ./cmd/blq

# between NAME COMMAND replaces the text between the marks NAME with the output of the command.
between() {
	TABLE=$("$new/blq" $2) awk -v name="$1" '
		$0 ~ "<!-- " name ": begin" { print; print ENVIRON["TABLE"]; skip = 1; next }
		$0 ~ "<!-- " name ": end"   { skip = 0 }
		!skip                       { print }
	'
}
between formats "formats --markdown" <docs/formats.md >"$new/formats.md"
between tools "mcp tools --markdown" <docs/mcp.md >"$new/mcp.md"
{
	echo "# Tools for agents"
	echo
	echo "Written by \`make generate\` from the code. How to connect an agent: [mcp.md](mcp.md)."
	echo
	"$new/blq" mcp tools --reference
} >"$new/tools.md"

stale=""
for name in formats.md mcp.md tools.md; do
	case $mode in
	write) cp "$new/$name" "docs/$name" ;;
	verify) diff -u "docs/$name" "$new/$name" || stale=1 ;;
	esac
done
if [ -n "$stale" ]; then
	echo "documents differ from the code: run make generate" >&2
	exit 1
fi
