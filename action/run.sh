#!/bin/sh
# Replaces itself by blq, or by what stands in for it, so that blq gets the runner's signals.
here=$(cd "$(dirname "$0")" && pwd)

# below succeeds if a limit of the system is lower than blq needs to start. Then the step runs as it is.
below() { case "$1" in '' | *[!0-9]*) false ;; *) [ "$1" -lt "$2" ] ;; esac; }

bare() { if [ -n "$BASH_VERSION" ]; then exec bash "$here/bare/blq" action "$1"; else exec sh "$here/bare/blq" action "$1"; fi; }

if [ ! -x "$BLQ_BIN" ]; then
  bare "$1"
elif [ "$1" = run ] && { below "$(ulimit -v 2>/dev/null)" 2000000 || below "$(ulimit -n 2>/dev/null)" 32; }; then
  echo "::warning title=blq::ulimit allows less memory or fewer files than blq needs; the step runs as it is," \
    "and nothing is recorded" >&2
  bare "$1"
fi
exec "$BLQ_BIN" action "$1"
