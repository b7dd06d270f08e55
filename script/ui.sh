#!/bin/sh
# Looks at the pages of blq ui with Chromium (CHROMIUM, or the system's), and prints figures: how fast a large log opens,
# whether searches count as grep does, what works without JavaScript, what axe and Lighthouse find, what a hostile log
# does. Their packages are installed into bin/ui, once, in the versions of script/ui/package-lock.json.
# UI_SHOTS=DIR keeps pictures of the pages. With the word screenshots it takes those of docs instead.
set -eu
cd "$(dirname "$0")/.."
tools=$PWD/bin/ui

browser=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
[ -n "$browser" ] || { echo "make ui-check needs Chromium: apt-get install chromium" >&2; exit 1; }
command -v npm >/dev/null || { echo "make ui-check needs npm" >&2; exit 1; }
mkdir -p "$tools"
if ! cmp -s script/ui/package-lock.json "$tools/installed.json"; then
	cp script/ui/package.json script/ui/package-lock.json "$tools"
	npm ci --prefix "$tools" --ignore-scripts --no-audit --no-fund --loglevel=error
	cp script/ui/package-lock.json "$tools/installed.json"
fi
go build -o bin/ui/blq ./cmd/blq
export UI_MODULES="$tools"
case ${1:-check} in
check) node script/ui/check.mjs "$tools/blq" "$browser" ;;
screenshots) node script/ui/screenshots.mjs "$tools/blq" "$browser" script/demo docs ;;
esac
