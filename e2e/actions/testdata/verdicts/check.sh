echo "check ends with $CODE in $RUNNER_TEMP"; exit $CODE
