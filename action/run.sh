#!/usr/bin/env bash
# Becomes blq, so that the runner's signals reach it, or what stands in for it.
here=$(cd "$(dirname "$0")" && pwd)
[ -x "$BLQ_BIN" ] || BLQ_BIN="$here/bare/blq"
exec "$BLQ_BIN" action "$1"
