#!/bin/bash
# Builds and runs the consumer project both ways: against an installed tree and by
# add_subdirectory. Usage: tests/install/run.sh [BUILD_DIR], default build/install.
# Configures and builds a release tree there; needs what tools/packages.txt lists.
set -euo pipefail
tree=$(cd "$(dirname "$0")/../.." && pwd)
work=${1:-$tree/build/install}
launcher=()
if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
consume() {  # consume NAME "adaptors or nothing" ARGUMENT...
  local name=$1 adaptors=$2
  shift 2
  cmake -S "$tree/tests/install" -B "$work/$name" -G Ninja -DCMAKE_BUILD_TYPE=Release "${launcher[@]}" "$@" >/dev/null
  cmake --build "$work/$name" --target consumer $adaptors
  rm -rf "$work/$name/consumer.db"
  (cd "$work/$name" && ctest --output-on-failure)
}
cmake -S "$tree" -B "$work/tree" -G Ninja -DCMAKE_BUILD_TYPE=Release "${launcher[@]}" \
  -DPLEXUS_BUILD_TESTS=OFF -DPLEXUS_BUILD_BENCH=OFF -DPLEXUS_BUILD_TOOLS=OFF >/dev/null
cmake --build "$work/tree"
rm -rf "$work/prefix"
cmake --install "$work/tree" --prefix "$work/prefix" >/dev/null
consume installed adaptors -DCMAKE_PREFIX_PATH="$work/prefix"
# A user without Eigen: everything but that one header.
consume without_eigen "" -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON -DPLEXUS_ADAPTORS=OFF
if cmake -S "$tree/tests/install" -B "$work/required" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" \
    -DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON -DPLEXUS_REQUIRE=eigen >"$work/required.log" 2>&1; then
  echo "install: a missing component was not refused" >&2
  exit 1
fi
grep -q eigen "$work/required.log"
consume subdirectory adaptors -DPLEXUS_TREE="$tree"
echo "install: all ways work"
