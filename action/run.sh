#!/usr/bin/env bash
# Replaces itself by blq, or by what stands in for it, so that blq gets the runner's signals.
here=$(cd "$(dirname "$0")" && pwd)
[ -x "$BLQ_BIN" ] || BLQ_BIN="$here/bare/blq"
exec "$BLQ_BIN" action "$1"
