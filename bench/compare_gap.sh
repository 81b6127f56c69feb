#!/bin/bash
# Side by side with the GAP Benchmark Suite: the same file into both programs, answers
# checked, then A B A B ..., median and quartiles of each program's "Trial Time:" lines
# (least and greatest of fewer than five), and at the end rows for RESULTS.md (results.sh puts them there).
#
# Usage: bench/compare_gap.sh GAPBS_DIR WORK[,WORK...] [ROUNDS] [BUILD_DIR]
#   GAPBS_DIR  a checkout of the suite with its programs built (make)
#   WORK       build | pr | bfs | sssp | cc | bc | tc, or all: every one but build; or shallow
#              (Bfs to depth 3 on a live graph, one thread, beside the suite's full bfs: agent
#              graph and grid; the ratio and the time per arc at the end)
#   ROUNDS     rounds of TRIALS (3) trials each (5)
# Environment:
#   SHAPES="g20 u20"   graphs: gN uN (the suite's Kronecker and uniform), webN gridN
#                      (make_shape), agent, wordnet ($PLEXUS_WORDNET, /usr/share/wordnet);
#                      "all" is g20 u20 g22 u22 web20 grid20 agent wordnet
#   GRAPH_DIR=DIR      where their files are kept; else they are made anew and removed
#   VERIFY=0           no check of the first trial of ours against a serial reference
#   THREADS=2, TRIALS=3, PLEXUS_OPTIONS= more options of ours (pr: -l charged)
#   DELTA=             width of sssp's buckets for both. Else the suite gets the best of 2, 16,
#                      64, 256 and 1024 in one trial each, ours chooses for itself.
# The suite asks for no huge pages; HUGE=1 gives its malloc them.
set -euo pipefail
shopt -s inherit_errexit
gapbs=$1 works=${2//,/ } rounds=${3:-5}
here=$(cd "$(dirname "$0")" && pwd)
build=${4:-$here/../build/release}/bench
[[ $works == all ]] && works="pr bfs cc sssp bc tc"
shapes=${SHAPES:-g20 u20}
[[ $shapes == all ]] && shapes="g20 u20 g22 u22 web20 grid20 agent wordnet"
export OMP_NUM_THREADS=${THREADS:-2}
tunables=
if [ "${HUGE:-0}" = 1 ]; then tunables=glibc.malloc.hugetlb=1; fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Median, least and greatest of lines of numbers.
spread() { sort -g | awk '{t[NR] = $1} END {print (t[int((NR + 1) / 2)] + t[int((NR + 2) / 2)]) / 2, t[1], t[NR]}'; }
if [[ $works == shallow ]]; then
  for ((round = 0; round < rounds; ++round)); do
    PLEXUS_BENCH_EDGE_LISTS=$scratch "$build/traverse_bench" --benchmark_filter=BfsDepth3 --benchmark_color=false 2>/dev/null |
      grep BfsDepth3 | tee -a "$scratch/ours"
    for graph in agents grid; do
      "$gapbs/bfs" -f "$scratch/$graph.el" -n 16 | awk -v graph="$graph" '/^Average Time/ {print "gap full bfs", graph, $3 * 1e6, "us"}'
    done | tee -a "$scratch/theirs"
  done
  for graph in agents grid; do
    name=BfsDepth3${graph^}
    read -r ours low high <<<"$(awk -v name="$name" '$1 == name {print $2}' "$scratch/ours" | spread)"
    read -r arc arc_low arc_high <<<"$(awk -v name="$name" '$1 == name {sub("ns", "", $NF); print $NF}' "$scratch/ours" | spread)"
    read -r theirs theirs_low theirs_high <<<"$(awk -v graph="$graph" '$4 == graph {print $5}' "$scratch/theirs" | spread)"
    awk -v a="$ours" -v b="$theirs" -v rest="$graph: $ours us ($low to $high), $arc ns an arc ($arc_low to $arc_high); the suite's full search $theirs us ($theirs_low to $theirs_high)" \
      'BEGIN {printf "%s: %.0fx; floor 10x and at most 40 ns\n", rest, b / a}'
  done
  exit 0
fi
graphs=${GRAPH_DIR:-$scratch}
mkdir -p "$graphs"

# file SHAPE WORK: the graph that WORK reads, made when it is not there.
file() {
  local shape=$1 work=$2 ending=sg name=$1
  if [[ $work == sssp ]]; then ending=wsg; fi
  # Triangles are the undirected graph's; the grid and the suite's graphs are undirected anyway.
  if [[ $work == tc || $shape == grid* ]] && [[ $shape != [gu][0-9]* ]]; then name=$shape-sym; fi
  local path=$graphs/$name.$ending made=$graphs/new-$name.$ending scale=${shape//[^0-9]/}
  if [[ ! -s $path ]]; then
    case $shape in
      [gu][0-9]*) "$gapbs/converter" "-${shape:0:1}" "$scale" $([[ $ending == wsg ]] && echo -w) -b "$made" ;;
      web* | grid*) "$build/make_shape" "${shape%%[0-9]*}" "$scale" "$made" ;;
      agent) "$build/make_shape" agent "$made" ;;
      wordnet) "$build/make_shape" wordnet "${PLEXUS_WORDNET:-/usr/share/wordnet}" "$made" ;;
      *) echo "contend: no shape '$shape'" >&2; return 1 ;;
    esac >/dev/null
    mv "$made" "$path"
  fi
  echo "$path"
}
times() { awk '/^Trial Time:/ {print $3}' "$@" | sort -n; }
floor() {
  case $1 in pr) echo 2 ;; bc) echo 1.3 ;; tc) echo 1.1 ;; *) echo 1 ;; esac
}
theirs() { GLIBC_TUNABLES=$tunables "$suite" "$@"; }

measure() {  # measure WORK SHAPE
  local work=$1 shape=$2 input options=(-n "${TRIALS:-3}") ours=() others=() counts=1 note="" width least=""
  suite=$gapbs/$work
  case $work in
    build)
      suite=$gapbs/gap_build
      [[ $shape == [gu][0-9]* ]] || { echo "contend: build generates: gN or uN" >&2; return 1; }
      g++ -std=c++11 -O3 -fopenmp -I"$gapbs/src" "$here/gap_build.cc" -o "$suite" ;;
    bc) others=(-i 4) ours=(-i 16) counts=4 note="16 sources against 4 times the suite's 4" ;;
    pr) suite=$gapbs/pr_spmv options+=(-i 20 -t 0) ;;
  esac
  if [[ $work == build ]]; then
    input=("-${shape:0:1}" "${shape:1}")
  else
    input=$(file "$shape" "$work")
    input=(-f "$input")
  fi
  if [[ $work == sssp && -n ${DELTA:-} ]]; then
    options+=(-d "$DELTA") note="width $DELTA"
  elif [[ $work == sssp ]]; then
    for width in 2 16 64 256 1024; do
      theirs "${input[@]}" -d "$width" -n 1 >"$scratch/width"
      echo "$(times "$scratch/width") $width"
    done | sort -n >"$scratch/widths"
    read -r least width <"$scratch/widths"
    others=(-d "$width") note="the suite's best width, $width"
  fi
  if [[ ${VERIFY:-1} == 1 ]]; then  # ends the run when it fails
    "$build/gap" "$work" "${input[@]}" "${options[@]}" "${ours[@]}" ${PLEXUS_OPTIONS:-} -n 1 -v >"$scratch/verified"
    grep -q 'Verification: *PASS' "$scratch/verified"
  fi
  : >"$scratch/plexus"
  : >"$scratch/gap"
  for ((round = 0; round < rounds; ++round)); do
    "$build/gap" "$work" "${input[@]}" "${options[@]}" "${ours[@]}" ${PLEXUS_OPTIONS:-} >>"$scratch/plexus"
    theirs "${input[@]}" "${options[@]}" "${others[@]}" >>"$scratch/gap"
  done
  # Both had the same graph, or nothing that follows means anything.
  if ! diff <(grep '^Graph has' "$scratch/plexus" | sort -u) <(grep '^Graph has' "$scratch/gap" | sort -u); then
    echo "contend: the graphs differ" >&2
    return 1
  fi
  for who in plexus gap; do
    times "$scratch/$who" | awk -v who="$who" -v what="$work $shape" -v counts="$([[ $who == gap ]] && echo "$counts" || echo 1)" '
        function at(share,   place, below) {
          place = 1 + share * (NR - 1)
          below = int(place)
          return below < NR ? t[below] + (place - below) * (t[below + 1] - t[below]) : t[NR]
        }
        {t[NR] = $1 * counts}
        END {few = NR < 5
             printf "%-14s %-7s median %.5f s  %s %.5f .. %.5f  best %.5f  (%d trials)\n",
               what, who, at(0.5), few ? "range" : "quartiles", at(few ? 0 : 0.25), at(few ? 1 : 0.75), t[1], NR}'
  done | tee "$scratch/lines"
  awk -v work="$work" -v shape="$shape" -v least="$(floor "$work")" -v note="$note" -v rounds="$rounds" '
      function ms(s) { return sprintf(s < 0.1 ? "%.2f ms" : "%.0f ms", s * 1000) }
      {for (i = 1; i <= NF; ++i) {if ($i == "median") m[NR] = $(i + 1); if ($i == "quartiles" || $i == "range") {l[NR] = $(i + 1); h[NR] = $(i + 3)}}}
      END {ratio = m[1] > 0 ? m[2] / m[1] : 0
           printf "| %s | %s | %s (%s to %s) | %s (%s to %s) | %.2fx | %sx%s | %d rounds%s |\n", work, shape,
             ms(m[1]), ms(l[1]), ms(h[1]), ms(m[2]), ms(l[2]), ms(h[2]), ratio, least, ratio < least ? ", **below**" : "",
             rounds, note == "" ? "" : "; " note}' "$scratch/lines" >>"$scratch/rows"
}

for shape in $shapes; do
  for work in $works; do measure "$work" "$shape"; done
done
echo
echo "| kernel | graph | Plexus | GAP | ratio | floor | how |"
echo "|---|---|---|---|---|---|---|"
cat "$scratch/rows"
