#!/bin/bash
# Side by side with the GAP Benchmark Suite: the same graph into both programs,
# A B A B ..., median and quartiles of each program's "Trial Time:" lines.
#
# Usage: bench/contend.sh GAPBS_DIR WORK [ROUNDS] [BUILD_DIR]
#   GAPBS_DIR  a checkout of the suite with its programs built (make)
#   WORK       build | pr | bfs | sssp | cc | bc | tc | shallow (Bfs to depth 3 on a live
#              graph, one thread, beside the suite's full bfs: agent graph and grid)
#   ROUNDS     rounds of TRIALS (3) trials each (5)
# Environment: GRAPHS="-g -u" (Kronecker, uniform), SCALE=20, THREADS=2, TRIALS=3,
# PLEXUS_OPTIONS= more options of ours (pr: -l charged).
# The suite asks for no huge pages; HUGE=1 gives its malloc them.
set -euo pipefail
gapbs=$1 work=$2 rounds=${3:-5}
here=$(cd "$(dirname "$0")" && pwd)
build=${4:-$here/../build/release}/bench
scale=${SCALE:-20}
suite=$gapbs/$work options=(-n "${TRIALS:-3}")
case $work in
  build)
    suite=$gapbs/gap_build_contender
    g++ -std=c++11 -O3 -fopenmp -I"$gapbs/src" "$here/gap_build_contender.cc" -o "$suite" ;;
  sssp) options+=(-d "${DELTA:-2}") ;;  # the suite's own choice for these graphs
  bc) options+=(-i 4) ;;
  pr) suite=$gapbs/pr_spmv options+=(-i 20 -t 0) ;;
esac
export OMP_NUM_THREADS=${THREADS:-2}
tunables=
if [ "${HUGE:-0}" = 1 ]; then tunables=glibc.malloc.hugetlb=1; fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [ "$work" = shallow ]; then
  for ((round = 0; round < rounds; ++round)); do
    PLEXUS_BENCH_EDGE_LISTS=$scratch "$build/kernels_bench" --benchmark_color=false --benchmark_filter=BfsDepth3 2>/dev/null | grep '^BfsDepth3'
    for graph in agents grid; do
      "$gapbs/bfs" -f "$scratch/$graph.el" -n 16 | awk -v graph="$graph" '/^Average Time/ {print "gap full bfs", graph, $3 * 1e6, "us"}'
    done
  done
  exit 0
fi
for graph in ${GRAPHS:--g -u}; do
  : >"$scratch/plexus"
  : >"$scratch/gap"
  input=("$graph" "$scale")
  if [ "$work" = sssp ]; then  # weights 1 to 255 are the suite's: both read its file
    input=(-f "$scratch/graph$graph.wsg")
    "$gapbs/converter" "$graph" "$scale" -w -b "${input[1]}" >/dev/null
  fi
  for ((round = 0; round < rounds; ++round)); do
    "$build/gap" "$work" "${input[@]}" "${options[@]}" ${PLEXUS_OPTIONS:-} >>"$scratch/plexus"
    GLIBC_TUNABLES=$tunables "$suite" "${input[@]}" "${options[@]}" >>"$scratch/gap"
  done
  # Both built the same graph, or nothing that follows means anything.
  if ! diff <(grep '^Graph has' "$scratch/plexus" | sort -u) <(grep '^Graph has' "$scratch/gap" | sort -u); then
    echo "contend: the graphs differ" >&2
    exit 1
  fi
  for who in plexus gap; do
    grep '^Trial Time:' "$scratch/$who" | awk '{print $3}' | sort -n |
      awk -v who="$who" -v what="$work $graph $scale" '
        {t[NR] = $1}
        END {printf "%-14s %-7s median %.4f s  quartiles %.4f .. %.4f  best %.4f  (%d trials)\n",
             what, who, t[int((NR + 1) / 2)], t[int((NR + 3) / 4)], t[int((3 * NR + 1) / 4)], t[1], NR}'
  done
done
