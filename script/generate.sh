#!/bin/sh
# Writes (write) or compares (verify) the parts of documents that come from
# the code: the table of formats in README.md.
set -eu
cd "$(dirname "$0")/.."
mode=${1:-write}

table=$(go run ./cmd/blq formats --markdown)
new=$(mktemp)
trap 'rm -f "$new"' EXIT
TABLE=$table awk '
	/<!-- formats: begin/ { print; print ENVIRON["TABLE"]; skip = 1; next }
	/<!-- formats: end/   { skip = 0 }
	!skip                 { print }
' README.md >"$new"

case $mode in
write) cat "$new" >README.md ;;
verify)
	if ! diff -u README.md "$new"; then
		echo "README.md is not what the code says: run make generate" >&2
		exit 1
	fi
	;;
esac
