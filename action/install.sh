#!/bin/sh
# Installs blq on the runner and says where: from the image where there is Docker, else by a
# download with a checksum. It never fails the job: without blq the step runs as it is.
# It also names the shell of the Action's other steps. That is bash if there is one: unlike sh, bash passes on variables
# whose names are no names of a shell, such as npm_config_//registry/:_authToken.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/release.env"
exe=; [ "$RUNNER_OS" = Windows ] && exe=.exe
bin="${RUNNER_TEMP:-/tmp}/blq/bin/$BLQ_VERSION"
blq="$bin/blq$exe"
program=blq-job # without the MCP server
[ "$INSTALL_MCP" != true ] || program=blq

shell=sh bare="$here/bare"
if command -v bash >/dev/null; then
  shell=bash bare="$here/bare/bash"
fi
echo "shell=$shell" >>"${GITHUB_OUTPUT:-/dev/null}"

# works succeeds if a program is blq of this version, with the MCP server if that is asked for.
works() {
  [ -x "$1" ] && [ "$("$1" --version 2>/dev/null)" = "blq version $BLQ_VERSION" ] || return 1
  [ $program = blq-job ] || "$1" mcp tools >/dev/null 2>&1
}

found() {
  echo "path=$1" >>"${GITHUB_OUTPUT:-/dev/null}"
  [ "$INSTALL_ON_PATH" != true ] || dirname "$1" >>"$GITHUB_PATH"
  exit 0
}

from_image() {
  [ -n "$BLQ_IMAGE" ] && [ $program = blq-job ] && [ "$RUNNER_OS" = Linux ] && command -v docker >/dev/null || return 1
  local id
  id=$(docker create "$BLQ_IMAGE" blq 2>/dev/null) || return 1
  docker cp -q "$id:/usr/local/bin/blq" "$blq.$$" >/dev/null 2>&1 || docker cp "$id:/usr/local/bin/blq" "$blq.$$" >/dev/null 2>&1
  docker rm "$id" >/dev/null 2>&1
  chmod 755 "$blq.$$" 2>/dev/null && mv -f "$blq.$$" "$blq"
}

archive_name() {
  local os arch kind=tar.gz
  case "$RUNNER_OS" in macOS) os=darwin ;; Windows) os=windows kind=zip ;; *) os=linux ;; esac
  case "$RUNNER_ARCH" in ARM64) arch=arm64 ;; *) arch=amd64 ;; esac
  echo "${program}_${BLQ_VERSION#v}_${os}_$arch.$kind"
}

fetch() {
  if command -v curl >/dev/null; then
    curl -fsSL --retry 2 --connect-timeout 10 --max-time 60 --retry-max-time 60 -o "$2" "$1"
  else
    wget -q -T 20 -t 2 -O "$2" "$1"
  fi
}

sum_of() { if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d' ' -f1; }

from_download() {
  local name want dir
  name=$(archive_name)
  want=$(sed -n "s/^\([0-9a-f]\{64\}\)  *$name\$/\1/p" "$here/SHA256SUMS")
  [ -n "$want" ] || { why="there is no release of blq $BLQ_VERSION for this runner"; return 1; }
  dir=$(mktemp -d "$bin/get.XXXXXX") || { why="it cannot be written to $bin"; return 1; }
  fetch "$BLQ_DOWNLOAD/$BLQ_VERSION/$name" "$dir/$name" || { why="$name cannot be downloaded"; rm -rf "$dir"; return 1; }
  [ "$(sum_of "$dir/$name")" = "$want" ] || { why="$name has another checksum than the release"; rm -rf "$dir"; return 1; }
  case "$name" in *.zip) unzip -qo "$dir/$name" -d "$dir" ;; *) tar -xzf "$dir/$name" -C "$dir" ;; esac
  mv -f "$(find "$dir" -name "blq$exe" -type f | head -n 1)" "$blq" 2>/dev/null
  rm -rf "$dir"
}

works "$blq" && found "$blq"
on_path=$(command -v blq) && works "$on_path" && found "$on_path"
if mkdir -p "$bin" 2>/dev/null; then
  why="the one of $BLQ_VERSION does not run here"
  from_image && works "$blq" && found "$blq"
  from_download && works "$blq" && found "$blq"
else
  why="it cannot be written to $bin"
fi
echo "::warning title=blq::blq is not there: $why; steps run as they are, and nothing is recorded" >&2
# Without blq, a step whose shell is blq must still run.
[ "$INSTALL_ON_PATH" != true ] || { chmod 755 "$bare/blq" && echo "$bare" >>"$GITHUB_PATH"; }
exit 0
