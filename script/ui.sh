#!/bin/sh
# Checks the pages of blq ui and of blqd with Chromium (CHROMIUM, or the system's), and prints figures: how fast a large
# log opens, whether searches count like grep, what works without JavaScript and with the keyboard, what axe and
# Lighthouse find, and what a hostile log and a hostile site can do. It installs npm packages once into bin/ui, in the
# versions of script/ui/package-lock.json. UI_SHOTS=DIR keeps pictures of the pages. With the argument ci, logs are
# smaller, and the script installs what the machine lacks if it can. With the argument screenshots, it takes the pictures
# for docs instead.
set -eu
cd "$(dirname "$0")/.."
tools=$PWD/bin/ui what=${1:-check}
export CGO_ENABLED=0 # as in the Makefile: packages that make has compiled are not compiled again

browser() { echo "${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}"; }
missing=""
[ -n "$(browser)" ] || missing="$missing chromium"
command -v node >/dev/null && command -v npm >/dev/null || missing="$missing nodejs npm"
command -v zstd >/dev/null || missing="$missing zstd"
command -v rg >/dev/null || missing="$missing ripgrep"
command -v git >/dev/null || missing="$missing git"
if [ -n "$missing" ] && [ "$what" = ci ] && command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
	apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
elif [ -n "$missing" ]; then
	echo "make ui-check needs these packages, please install them:$missing" >&2
	exit 1
fi
mkdir -p "$tools"
if ! cmp -s script/ui/package-lock.json "$tools/installed.json"; then
	cp script/ui/package.json script/ui/package-lock.json "$tools"
	npm ci --prefix "$tools" --ignore-scripts --no-audit --no-fund --loglevel=error
	cp script/ui/package-lock.json "$tools/installed.json"
fi
go build -o bin/ui/blq ./cmd/blq
export UI_MODULES="$tools"

# look runs the checks of both sites, even if the checks of the first one fail.
look() {
	ok=0
	node script/ui/check.mjs "$tools/blq" "$(browser)" || ok=1
	BLQ_UI_CHECK="$PWD/script/ui/service.mjs $tools/blq $(browser)" \
		go test -tags browser ./cmd/blqd -run '^TestBrowsersLookAtTheService$' -count=1 -timeout=10m || ok=1
	return $ok
}

case $what in
check) look ;;
ci) UI_QUICK=1 look ;;
screenshots) node script/ui/screenshots.mjs "$tools/blq" "$(browser)" script/demo docs ;;
*)
	echo "ui.sh takes check, ci or screenshots" >&2
	exit 2
	;;
esac
