#!/bin/sh
# Updates the comment on the pull request, with the program that action/report runs. The program is
# taken out of its image here. If a step used action/report instead, the runner would pull its image
# before the job begins, even if the step's condition is false, and a runner without Docker would
# fail the job.
here=$(cd "$(dirname "$0")" && pwd)
image=$(sed -n 's,^  image: docker://,,p' "$here/report/action.yml")
program="${RUNNER_TEMP:-/tmp}/blq/bin/report.$$"

# Only the report sees the tokens.
github_token=$BLQ_INPUT_GITHUB_TOKEN server_token=$BLQ_INPUT_TOKEN
unset BLQ_INPUT_GITHUB_TOKEN BLQ_INPUT_TOKEN

within() { if command -v timeout >/dev/null; then timeout -k 5 60 "$@"; else "$@"; fi; }

from_image() {
  local id
  command -v docker >/dev/null || { why="it takes Docker"; return 1; }
  mkdir -p "$(dirname "$program")" || { why="it cannot be written to $program"; return 1; }
  id=$(within docker create "$image" 2>/dev/null) || { why="$image cannot be had within a minute"; return 1; }
  within docker cp "$id:/usr/local/bin/blq" "$program" >/dev/null 2>&1
  within docker rm "$id" >/dev/null 2>&1
  [ -x "$program" ] || { why="it cannot be taken out of $image"; return 1; }
}

if from_image; then
  BLQ_INPUT_GITHUB_TOKEN=$github_token BLQ_INPUT_TOKEN=$server_token "$program" action report
  rm -f "$program"
else
  echo "::warning title=blq::the pull request's comment is not brought up to date: $why; a job with action/report does it, too" >&2
fi
exit 0
