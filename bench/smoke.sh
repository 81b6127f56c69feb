#!/bin/bash
# Runs every bench on small inputs: results are verified, nothing is timed.
# Usage: bench/smoke.sh [BUILD_DIR], default build/release.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/release}/bench
export PLEXUS_BENCH_SMALL=1
for suite in bench/*_bench.cc; do
  name=$(basename "$suite" .cc)
  echo "--- $name"
  "$build/$name" --benchmark_min_time=0.01
done
echo "--- memory_use"
"$build/memory_use"
for program in removed reembed vector_index crash_open hard_purge never_composed retrieval_eval million; do
  echo "--- $program"
  "$build/$program"
done
echo "--- turn_edges"
"$build/turn_edges" 3000
"$build/turn_edges" 3000 durable
if git rev-parse --git-dir > /dev/null 2>&1; then  # the history of this tree, where it is there
  echo "--- frontier_eval"
  "$build/frontier_eval" .
fi
echo "--- gap"
for kernel in build pr bfs sssp cc bc tc; do
  "$build/gap" "$kernel" -g 10 -n 2 -v
  "$build/gap" "$kernel" -u 10 -n 2 -v
done
"$build/gap" pr -g 10 -n 1 | grep '^Preprocess Time:'  # what is prepared is printed apart
shapes=$(mktemp -d)
trap 'rm -rf "$shapes"' EXIT
"$build/make_shape" web 10 "$shapes/web.wsg" "$shapes/web-sym.sg"
"$build/make_shape" grid 10 "$shapes/grid-sym.wsg" "$shapes/grid-sym.sg"
for kernel in pr bfs cc sssp bc; do
  "$build/gap" "$kernel" -f "$shapes/web.wsg" -n 2 -v
  "$build/gap" "$kernel" -f "$shapes/grid-sym.wsg" -n 2 -v
done
for shape in web grid; do "$build/gap" tc -f "$shapes/$shape-sym.sg" -n 2 -v; done
echo "--- peers"
BUILD=${1:-build/release} bench/peers/run.sh smoke
echo "benches: all results verified"
