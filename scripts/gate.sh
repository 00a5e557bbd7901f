# Sourced by `.ci/run` and `scripts/check.sh`: what they run as gates ends with the numbers that Vitest wrote down.
export TEST_RESULTS=test-results
running=
rm -rf "$TEST_RESULTS"

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
  [ ! -d "$TEST_RESULTS" ] || node -p "
    const { readdirSync, readFileSync } = require('node:fs');
    const runs = readdirSync('$TEST_RESULTS').map((file) => JSON.parse(readFileSync('$TEST_RESULTS/' + file, 'utf8')));
    const sum = (field) => runs.reduce((total, run) => total + run[field], 0);
    const skipped = sum('numPendingTests') + sum('numTodoTests')
    sum('numPassedTests') + ' passed, ' + sum('numFailedTests') + ' failed, ' + skipped + ' skipped'"
}
trap conclude EXIT
