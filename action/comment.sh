#!/usr/bin/env bash
# Updates the comment on the pull request, with the program that action/report runs. The program is
# taken out of its image here. If a step used action/report instead, the runner would pull its image
# before the job begins, even if the step's condition is false, and a runner without Docker would
# fail the job.
here=$(cd "$(dirname "$0")" && pwd)
image=$(sed -n 's,^  image: docker://,,p' "$here/report/action.yml")
program="${RUNNER_TEMP:-/tmp}/blq/bin/report.$$"

from_image() {
  local id
  command -v docker >/dev/null || { why="it takes Docker"; return 1; }
  mkdir -p "$(dirname "$program")" || { why="it cannot be written to $program"; return 1; }
  id=$(docker create "$image" 2>/dev/null) || { why="$image cannot be had"; return 1; }
  docker cp "$id:/usr/local/bin/blq" "$program" >/dev/null 2>&1
  docker rm "$id" >/dev/null 2>&1
  [ -x "$program" ] || { why="it cannot be taken out of $image"; return 1; }
}

if [ -x "$BLQ_REPORT_BINARY" ]; then
  "$BLQ_REPORT_BINARY" action report
elif from_image; then
  "$program" action report
  rm -f "$program"
else
  echo "::warning title=blq::the pull request's comment is not brought up to date: $why; a job with action/report does it, too" >&2
fi
exit 0
