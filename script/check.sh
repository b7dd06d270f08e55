#!/bin/sh
# Checks the code without running it: check.sh [format | modules | generated | lint | manifests | systems]... By default
# it makes all checks. SYSTEMS='linux/amd64 darwin/arm64' builds the programs only for these systems.
set -eu
cd "$(dirname "$0")/.."
export GOGC=400 # with fewer garbage collections, the compiler takes a tenth less time

format() {
	unformatted=$(gofmt -l $(git ls-files '*.go'))
	[ -n "$unformatted" ] || return 0
	echo "these files are not formatted, run gofmt -w on them:" >&2
	echo "$unformatted" >&2
	return 1
}

modules() {
	go mod tidy -diff
	go mod verify >/dev/null
}

[ $# -gt 0 ] || set -- format modules generated lint manifests systems
for check in "$@"; do
	echo "check: $check"
	case $check in
	format) format ;;
	modules) modules ;;
	generated) sh script/generate.sh verify ;;
	lint) sh script/lint.sh ;; # go vet is one of the linters
	manifests) sh script/kube.sh ;;
	systems) sh script/systems.sh ${SYSTEMS:-} ;;
	*)
		echo "check.sh has no check $check" >&2
		exit 2
		;;
	esac
done
echo "check: ok"
