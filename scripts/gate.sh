# Sourced by `.ci/run` and `scripts/check.sh`: what they run as gates ends with the numbers that Vitest wrote down.
export TEST_RESULTS=test-results.json
running=
rm -f "$TEST_RESULTS"

# gate <name> <command> ...
gate() {
  running=$1
  local began=$SECONDS
  shift
  printf '\n== %s\n' "$running"
  "$@"
  printf '== %s: %s s\n' "$running" "$((SECONDS - began))"
}

# Ends every run, good or bad.
conclude() {
  local status=$?
  [ "$status" -eq 0 ] || printf '\n== FAILED: %s\n' "$running"
  [ ! -f "$TEST_RESULTS" ] || node -p "
    const { numPassedTests, numFailedTests } = JSON.parse(require('node:fs').readFileSync('$TEST_RESULTS', 'utf8'));
    numPassedTests + ' passed, ' + numFailedTests + ' failed'"
}
trap conclude EXIT
