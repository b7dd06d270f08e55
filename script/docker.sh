#!/bin/sh
# Runs a command with a Docker engine: docker.sh COMMAND... It uses a running engine if one answers.
# Otherwise it installs the Debian package if it may, and starts an engine only for this command.
# This engine has its own socket and process. It keeps its images in bin/.docker for the next time.
# The command gets the name of a client with BuildKit in DOCKER.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)

say() { echo "docker: $*" >&2; }

# builds succeeds if a client has BuildKit: as a plugin, or built in before version 23.
builds() {
	"$1" buildx version >/dev/null 2>&1 && return
	case $("$1" version --format '{{.Client.Version}}' 2>/dev/null) in
	1[89].* | 2[0-2].*) ;;
	*) return 1 ;;
	esac
}

client() {
	for DOCKER in docker /usr/bin/docker /usr/local/bin/docker; do
		if command -v "$DOCKER" >/dev/null && builds "$DOCKER"; then
			export DOCKER DOCKER_BUILDKIT=1
			return
		fi
	done
	return 1
}

if docker info >/dev/null 2>&1; then
	client || { say "this Docker cannot build with BuildKit: install its buildx plugin" >&2; exit 1; }
	exec "$@"
fi

if ! command -v dockerd >/dev/null || ! client; then
	if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
		say "no engine answers (docker info), and it cannot be installed here: start one, or install Docker"
		exit 1
	fi
	say "installing docker.io"
	apt-get update -qq && apt-get install -y -qq docker.io iptables >/dev/null
	apt-get install -y -qq docker-buildx >/dev/null 2>&1 || true # Debian 13 and later
	client || { say "the installed client cannot build with BuildKit"; exit 1; }
fi
[ "$(id -u)" = 0 ] || { say "no engine answers (docker info): start it"; exit 1; }

# Paths of sockets must be short. The folder is removed with the engine.
run=$(mktemp -d /tmp/blq-docker.XXXXXX)
mkdir -p "$root/bin/.docker"
exec 9>"$root/bin/.docker.lock"
flock 9 || exit 1 # only one engine at a time may use these images
dockerd --data-root "$root/bin/.docker" --exec-root "$run/exec" --pidfile "$run/pid" \
	--host "unix://$run/docker.sock" >"$run/log" 2>&1 9>&- &
engine=$!
stop() {
	trap '' INT TERM
	kill "$engine" 2>/dev/null || true
	wait "$engine" 2>/dev/null || true
	umount "$run"/exec/netns/* 2>/dev/null || true # the one of containers on the host's network
	rm -rf "$run"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
export DOCKER_HOST="unix://$run/docker.sock"
tries=0
until docker info >/dev/null 2>&1; do
	tries=$((tries + 1))
	if ! kill -0 "$engine" 2>/dev/null || [ "$tries" -gt 300 ]; then
		say "the engine does not start:"
		tail -n 20 "$run/log" >&2
		exit 1
	fi
	sleep 0.2
done
"$@"
