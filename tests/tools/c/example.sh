#!/bin/bash
# Runs an example program on a new directory, twice. Usage: example.sh PROGRAM
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for _ in 1 2; do  # the second finds what the first wrote
  "$1" "$scratch/graph" >"$scratch/out"
  grep -q '"key":"d2"' "$scratch/out"
  grep -Eq '^d1 0\.[0-9]{4}$' "$scratch/out"
done
