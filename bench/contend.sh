#!/bin/bash
# Side by side with the GAP Benchmark Suite: the same graph into both programs,
# A B A B ..., medians and spread of each program's "Trial Time:" lines.
#
# Usage: bench/contend.sh GAPBS_DIR WORK [ROUNDS] [BUILD_DIR]
#   GAPBS_DIR  a checkout of the suite with its programs built (make)
#   WORK       build | pr | bfs | cc, each on Kronecker and uniform scale $SCALE (20)
#   ROUNDS     rounds, 5 trials each (7)
# The suite has no huge pages of its own; HUGE=1 gives it malloc's.
set -euo pipefail
gapbs=$1 work=$2 rounds=${3:-7}
build=${4:-$(cd "$(dirname "$0")/.." && pwd)/build/release}/bench
scale=${SCALE:-20}
suite=$gapbs/$work options=(-n 5)
case $work in
  build)
    suite=$gapbs/gap_build_contender
    g++ -std=c++11 -O3 -fopenmp -I"$gapbs/src" "$(dirname "$0")/gap_build_contender.cc" -o "$suite" ;;
  pr) suite=$gapbs/pr_spmv options=(-n 3 -i 20 -t 0) ;;
esac
export OMP_NUM_THREADS=${THREADS:-2}
if [ "${HUGE:-0}" = 1 ]; then export GLIBC_TUNABLES=glibc.malloc.hugetlb=1; fi
for graph in -g -u; do
  : >"/tmp/contend.$$.ours"
  : >"/tmp/contend.$$.theirs"
  for ((round = 0; round < rounds; ++round)); do
    GLIBC_TUNABLES='' "$build/gap" "$work" "$graph" "$scale" "${options[@]}" >>"/tmp/contend.$$.ours"
    "$suite" "$graph" "$scale" "${options[@]}" >>"/tmp/contend.$$.theirs"
  done
  for who in ours theirs; do
    grep '^Trial Time:' "/tmp/contend.$$.$who" | awk '{print $3}' | sort -n |
      awk -v who="$who" -v what="$work $graph $scale" '
        {t[NR] = $1}
        END {printf "%-16s %-7s median %.4f s  quartiles %.4f .. %.4f  best %.4f  (%d trials)\n",
             what, who, t[int((NR + 1) / 2)], t[int((NR + 3) / 4)], t[int((3 * NR + 1) / 4)], t[1], NR}'
  done
  rm -f "/tmp/contend.$$.ours" "/tmp/contend.$$.theirs"
done
