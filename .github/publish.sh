#!/usr/bin/env bash
# Publishes the tarballs of a folder that scripts/pack-for-release.ts has made, those first that others depend on. What is
# published already is left out, so that a run that failed half-way can be repeated.
# Usage: publish.sh <folder> [--dry-run]
set -euo pipefail
# In full: npm takes `release/file.tgz` for a repository of GitHub.
folder=$(cd "$1" && pwd)
shift

while IFS=$'\t' read -r package file; do
  if npm view "$package" version > /dev/null 2>&1; then
    echo "$package is published already"
  else
    npm publish "$folder/$file" --access public "$@"
  fi
done < "$folder/packages.tsv"
