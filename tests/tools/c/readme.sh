#!/bin/bash
# Compiles the C program of the README without a warning, and runs it.
# Usage: readme.sh FOLDER COMPILER LIBRARY
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
sed -n '/^```c$/,/^```$/p' "$1/README.md" | sed '1d;$d' >"$scratch/readme.c"
[ -s "$scratch/readme.c" ]
"$2" -std=c11 -Wall -Wextra -pedantic -Werror -I"$1" "$scratch/readme.c" "$3" \
  -Wl,-rpath,"$(dirname "$3")" -o "$scratch/readme"
cd "$scratch"
./readme >out
grep -q 'Deploys stop on Fridays' out
