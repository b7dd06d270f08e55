#!/bin/sh
# Tests deploy/compose with local images, through script/docker.sh. One of two replicas is killed
# while a run is sent. Afterwards the other one must have the whole run. Nothing is left running.
set -eu
cd "$(dirname "$0")/.."
docker=${DOCKER:?run it by script/docker.sh}
tools=$PWD/bin/tools
work=$(mktemp -d)

say() { echo "compose: $*"; }
die() { say "$*" >&2; exit 1; }

# Use the plugin of the Docker client if there is one. Otherwise compile it here: "go install"
# refuses it, because its module has exclude lines.
version=v2.40.3
if "$docker" compose version >/dev/null 2>&1; then
	compose() { "$docker" compose -f deploy/compose/compose.yaml "$@"; }
else
	if [ ! -x "$tools/docker-compose-$version" ]; then
		say "compiling docker compose $version (once)"
		module=$(cd "$work" && go mod download -json github.com/docker/compose/v2@$version |
			sed -n 's/^\t"Dir": "\(.*\)",*$/\1/p')
		(cd "$module" && CGO_ENABLED=0 go build -trimpath -o "$tools/docker-compose-$version" ./cmd)
	fi
	compose() { "$tools/docker-compose-$version" -f deploy/compose/compose.yaml "$@"; }
fi

say "images"
TARGETS=blqd sh script/image.sh
sh script/base-image.sh blq-base:trixie
"$docker" build --quiet --file script/standins/postgres.Dockerfile \
	--build-arg DEBIAN_IMAGE=blq-base:trixie --tag blq-postgres:local script/standins >/dev/null
CGO_ENABLED=0 go build -trimpath -o "$work/gcs/fake-gcs-server" github.com/fsouza/fake-gcs-server
"$docker" build --quiet --file script/standins/gcs.Dockerfile --tag blq-gcs:local "$work/gcs" >/dev/null
VERSION=$(git describe --tags --always) sh script/compile.sh blq "$work/blq"

export COMPOSE_PROJECT_NAME="blq-try-$$" BLQD_IMAGE=blqd:local POSTGRES_IMAGE=blq-postgres:local GCS_IMAGE=blq-gcs:local
export BLQD_ONE=0 BLQD_TWO=0 # free ports
run=
stop() {
	[ -z "$run" ] || kill "$run" 2>/dev/null || true # it waits for input
	compose down --volumes --timeout 5 >/dev/null 2>&1 || say "not all was removed"
	rm -rf "$work"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

say "two replicas"
compose up --wait one two 2>"$work/up" || { cat "$work/up" >&2; compose logs >&2; exit 1; }
one=http://$(compose port one 8080) two=http://$(compose port two 8080)
curl -fsS "$one/readyz" "$two/readyz" >/dev/null
compose exec -T one blqd doctor --github-api=
BLQ_TOKEN=$(compose exec -T one blqd token create --name try --scope ingest,read --owner acme)
export BLQ_TOKEN BLQ_REPO=acme/shop BLQ_DIR="$work/.lq"

say "one is killed while a run is sent to it"
mkfifo "$work/go"
"$work/blq" run --remote "$one" --name build -- sh -c \
	'echo "a.c:1:1: error: before"; cat "$0"; echo "a.c:2:1: error: after"; exit 3' "$work/go" >"$work/out" 2>"$work/err" &
run=$!
tries=0
until "$work/blq" status --remote "$two" 2>/dev/null | grep -q RUNNING; do
	tries=$((tries + 1))
	[ "$tries" -lt 300 ] || die "the run does not show: $(cat "$work/err")"
	sleep 0.1
done
compose kill one >/dev/null 2>&1
echo "a.c:3:1: error: meanwhile" >"$work/go"
code=0
wait "$run" || code=$?
run=
[ "$code" = 3 ] || die "the command ended with $code, not 3: $(cat "$work/err")"
grep -q 'send it later: blq push' "$work/err" || die "no word of what is missing: $(cat "$work/err")"

say "the rest goes to two"
"$work/blq" push --server "$two"
"$work/blq" output --raw build --remote "$two" >"$work/there"
cmp "$work/out" "$work/there" || die "the log is not what the command printed"
[ "$("$work/blq" errors build --remote "$two" | wc -l)" = 3 ] || die "the errors are not those of the run"

say "one comes back, the bucket restarts, and nothing is lost"
compose restart gcs >/dev/null 2>&1
compose up --wait one two 2>"$work/up" || { cat "$work/up" >&2; exit 1; }
one=http://$(compose port one 8080)
"$work/blq" output --raw build --remote "$one" | cmp "$work/out" -
say ok
