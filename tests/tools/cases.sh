#!/bin/bash
# All cases of cases_test.cc, one a line: passed or failed, and how many of each. Ends with 1 when
# one failed; the messages of those are behind the table.
#
#   cases.sh CLI_TEST
set -u
log=$(mktemp) && trap 'rm -f "$log"' EXIT
"${1:?the program cli_test}" --gtest_filter='*Cases*' > "$log" 2>&1
sed -n -E 's,^\[       OK \] (All/)?([^ ]*).*,passed  \2,p; s,^\[  FAILED  \] (All/)?([^ ,]*).* \(.*,failed  \2,p' "$log" |
  sed 's,Cases.IsRight/,,'
passed=$(grep -c '^\[       OK \]' "$log")
failed=$(grep -c -E '^\[  FAILED  \] .* \([0-9]+ ms\)' "$log")
echo "$passed passed, $failed failed"
[ "$passed" -gt 0 ] && [ "$failed" = 0 ] || { cat "$log"; exit 1; }
