#!/bin/sh
# Fetches the documentation that questions.txt, fresh.txt and unseen.txt ask about, a folder for each project, into the
# folder $1. Then:
# BLQ_DOCS_EVAL=FOLDER go test -tags docseval -run Questions -v ./facts/docs
set -eu
mkdir -p "$1" && cd "$1"

for package in fastify undici commander axios pino next bun=bun-types react-router; do
	name=${package%=*}
	[ ! -d "$name" ] || continue
	archive=$(npm pack --silent "${package#*=}" | tail -1)
	mkdir "$name"
	tar xzf "$archive" -C "$name" --strip-components=1
	rm "$archive"
done

for module in prometheus=github.com/prometheus/prometheus cobra=github.com/spf13/cobra \
	traefik=github.com/traefik/traefik/v3 task=github.com/go-task/task/v3 \
	gin=github.com/gin-gonic/gin collector=go.opentelemetry.io/collector \
	buildkit=github.com/moby/buildkit buildx=github.com/docker/buildx fiber=github.com/gofiber/fiber/v3; do
	[ ! -e "${module%%=*}" ] || continue
	folder=$(GOFLAGS=-mod=mod go mod download -json "${module#*=}@latest" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
	ln -s "$folder" "${module%%=*}"
done

apt-get install -y -qq --no-install-recommends git-doc python-pytest-doc python-flask-doc sphinx-doc cmake-data >/dev/null
ln -sfn /usr/share/doc/git/html git
ln -sfn /usr/share/doc/python-pytest-doc/html/_sources pytest
ln -sfn /usr/share/doc/python-flask-doc/html/_sources flask
ln -sfn /usr/share/doc/sphinx-doc/html/_sources sphinx
ln -sfn /usr/share/cmake-*/Help cmake
