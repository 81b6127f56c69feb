#!/bin/bash
# Builds and runs every test: installs what is missing, configures and builds the
# preset "dev" (warnings are errors), runs ctest. The last line says how many tests
# passed and failed; the exit status is 0 when none failed.
# Usage: tools/test.sh [CTEST_ARGUMENT...]   e.g. tools/test.sh -R Csr
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/scripts/setup.sh

launcher=()
if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
cmake --preset dev "${launcher[@]}"
cmake --build --preset dev

status=0
log=build/dev/ctest.log
# One more than processors: some tests wait for the disk.
ctest --preset dev --parallel "$(($(nproc) + 1))" "$@" | tee "$log" || status=$?
summary=$(grep -E 'tests passed, [0-9]+ tests failed out of [0-9]+' "$log" | tail -1 || true)
if [[ $summary =~ ,\ ([0-9]+)\ tests\ failed\ out\ of\ ([0-9]+) ]]; then
  failed=${BASH_REMATCH[1]}
  passed=$((BASH_REMATCH[2] - failed))
else  # no summary: ctest itself did not get through
  failed=1 passed=0
fi
echo "$passed passed, $failed failed"
exit "$status"
