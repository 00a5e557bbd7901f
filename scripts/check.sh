#!/usr/bin/env bash
# Everything that a change must pass: `npm run check`. `.ci/run` runs it too, on a machine where nothing is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/gate.sh

gate 'npm test' npm test
gate 'npm run test:rest (builds; browsers, runtimes, packed packages, simulators)' npm run --silent test:rest
gate 'lint' npm run --silent lint
gate 'types' npm run --silent types
gate 'arrows' npm run --silent arrows
gate 'knip' npm run --silent knip
gate 'contract documents' npm run --silent contract
gate 'package check' npm run --silent package-check
gate 'reference' npm run --silent docs
gate 'page "See it work" in Chromium' npm run --silent test:page
gate 'npm start' npm start
