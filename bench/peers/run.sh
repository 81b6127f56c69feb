#!/bin/bash
# Plexus beside installed peers: answers compared first, then timed in turns.
#
#   bench/peers/run.sh [all]             measure every row; the table, also into RESULTS.md
#   bench/peers/run.sh measure ROW...    some rows; results stay in PEERS_DIR/results
#   bench/peers/run.sh more ROW...       further rounds of measured rows, answers not compared again
#   bench/peers/run.sh table [write]     the table of what was measured; write: into bench/peers/RESULTS.md,
#                                        and its short form into bench/RESULTS.md
#   bench/peers/run.sh rows              the rows
#   bench/peers/run.sh install           Debian's packages for peers (packages.txt)
#   bench/peers/run.sh smoke             tiny inputs, answers compared, nothing timed
#
# Every peer is a process of its own on the same input files. A row's answers are compared
# with peer_reference's (slow, obvious loops) before anything is timed; who disagrees gets
# no time. Then ROUNDS (5) rounds, one process of each member a round, A B C A B C ...,
# TRIALS (1) runs of the work in each; printed: the median of all runs and, in brackets, least
# and greatest of fewer than five runs ("to"), quartiles of five and more ("quartiles ... to").
#
# Environment: BUILD (build/release), PEERS_DIR (a folder for inputs and results),
# PEERS_THREADS=2, PEERS_TIMEOUT=300 seconds a process, SCALE=18, SMALL_SCALE=12 (exact
# betweenness), TURNS=332000, FACTS=5000, ROWS=100000 vectors or PLEXUS_BENCH_VECTORS=FILE.fvecs
# (word_vectors.sh), PLEXUS_WORDNET=/usr/share/wordnet,
# PEERS_NODE_MODULES (the node_modules folder that has @duckdb/node-api and kuzu),
# MEMBERS="LABEL ..." (only these members of the rows),
# PEERS_CAPTION (a sentence about the machine, e.g. what else was running).
set -euo pipefail
shopt -s inherit_errexit
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${BUILD:-$root/build/release}/bench/peers
export PEERS_THREADS=${PEERS_THREADS:-2} OMP_NUM_THREADS=${PEERS_THREADS:-2}
export NODE_PATH=${PEERS_NODE_MODULES:-${NODE_PATH:-}}

# ROW INPUT WORK MEMBER...; MEMBER = label[:program:work[:work to compare as]].
rows() {
  cat <<'ROWS'
pagerank-kronecker kronecker pagerank plexus igraph graphblas
pagerank-uniform uniform pagerank plexus igraph graphblas
bfs-kronecker kronecker bfs plexus plexus-csr:plexus:bfs-csr igraph
bfs-uniform uniform bfs plexus plexus-csr:plexus:bfs-csr igraph
components-kronecker kronecker components plexus plexus-csr:plexus:components-csr igraph
components-uniform uniform components plexus plexus-csr:plexus:components-csr igraph
closeness-kronecker kronecker closeness plexus igraph
closeness-uniform uniform closeness plexus igraph
hits-kronecker kronecker hits plexus igraph
similar-kronecker kronecker similar plexus igraph
similar-uniform uniform similar plexus igraph
similar-pairs kronecker similar-pairs plexus exhaustive:reference:similar-pairs
forest-kronecker kronecker forest plexus igraph
forest-uniform uniform forest plexus igraph
cuts-kronecker kronecker cuts plexus igraph
dominators-kronecker kronecker dominators plexus igraph
flow-kronecker kronecker flow plexus igraph
triangles-kronecker kronecker triangles plexus plexus-csr:plexus:triangles-csr igraph
triangles-uniform uniform triangles plexus plexus-csr:plexus:triangles-csr igraph
distances-kronecker kronecker distances plexus plexus-csr:plexus:distances-csr igraph
distances-uniform uniform distances plexus plexus-csr:plexus:distances-csr igraph
betweenness-kronecker kronecker-small betweenness plexus plexus-csr:plexus:betweenness-csr igraph
betweenness-uniform uniform-small betweenness plexus plexus-csr:plexus:betweenness-csr igraph
betweenness-16 kronecker betweenness-16 plexus plexus-csr:plexus:betweenness-16-csr igraph
kcore-kronecker kronecker kcore plexus plexus-csr:plexus:kcore-csr igraph
kcore-uniform uniform kcore plexus plexus-csr:plexus:kcore-csr igraph
strong-directed directed strong plexus igraph
clustering-kronecker kronecker clustering plexus igraph
clustering-uniform uniform clustering plexus igraph
kpaths-kronecker kronecker kpaths plexus igraph
point-kronecker kronecker point plexus igraph
point-uniform uniform point plexus igraph
order-kronecker kronecker order plexus igraph
eigenvector-kronecker kronecker eigenvector plexus igraph
eigenvector-uniform uniform eigenvector plexus igraph
personal-kronecker kronecker personal plexus igraph
bfs-64 kronecker64 bfs plexus:plexus:lanes plexus-csr:plexus:lanes-csr igraph
traverse agent traverse plexus plexus-warm:plexus:traverse-warm plexus-paths:plexus:traverse-paths sqlite-set:sqlite:traverse-set sqlite-recursive:sqlite:traverse-recursive duckdb kuzu kuzu-walks:kuzu:traverse-walks
traverse-20 agent20 traverse plexus plexus-warm:plexus:traverse-warm sqlite-set:sqlite:traverse-set sqlite-recursive:sqlite:traverse-recursive duckdb kuzu kuzu-walks:kuzu:traverse-walks
pairs tags pairs plexus exhaustive:reference:pairs graphblas sqlite duckdb
nearest vectors nearest plexus faiss faiss-batch:faiss:nearest-batch hnswlib:hnswlib:recall:recall
nearest-inside vectors nearest-inside plexus faiss hnswlib:hnswlib:recall-inside:recall
leiden-kronecker kronecker leiden plexus igraph
leiden-uniform uniform leiden plexus igraph
leiden-agent agent leiden plexus igraph
leiden-grid grid leiden plexus igraph
leiden-web web leiden plexus igraph
leiden-wordnet wordnet leiden plexus igraph
weighted-pagerank kronecker weighted-pagerank plexus igraph
jaccard kronecker jaccard plexus igraph
descendants agent20 descendants plexus sqlite-set:sqlite:descendants-set sqlite-recursive:sqlite:descendants-recursive duckdb
ancestors agent20 ancestors plexus sqlite-set:sqlite:ancestors-set sqlite-recursive:sqlite:ancestors-recursive duckdb
pattern agent20 pattern plexus sqlite-set:sqlite:pattern-set sqlite-recursive:sqlite:pattern-recursive duckdb
sum agent20 sum plexus sqlite-set:sqlite:sum-set sqlite-recursive:sqlite:sum-recursive duckdb
min agent20 min plexus sqlite-set:sqlite:min-set sqlite-recursive:sqlite:min-recursive duckdb
noisy-or agent20 noisy-or plexus sqlite-set:sqlite:noisy-or-set duckdb
load-kronecker kronecker load plexus plexus-csr:plexus:load-csr igraph
load-agent agent load plexus igraph sqlite duckdb kuzu
open-agent agent open plexus sqlite duckdb kuzu
ROWS
}

title() {
  case $1 in
    pagerank) echo "PageRank, f64, true L1 error at most 1e-6" ;;
    bfs) echo "BFS, depths of all nodes, 16 starts (kronecker64: 64)" ;;
    components) echo "connected components" ;;
    closeness) echo "closeness and harmonic of 16 nodes" ;;
    hits) echo "hubs and authorities" ;;
    similar) echo "Adamic-Adar, 100 nearest of 16 nodes" ;;
    similar-pairs) echo "best 1,000 pairs of the graph by Adamic-Adar" ;;
    forest) echo "minimum spanning forest, each edge once" ;;
    cuts) echo "articulation points and bridges" ;;
    dominators) echo "immediate dominators from one node" ;;
    flow) echo "maximum flow between two nodes" ;;
    triangles) echo "triangles" ;;
    clustering) echo "local clustering coefficients" ;;
    kcore) echo "core numbers" ;;
    betweenness) echo "betweenness, exact" ;;
    betweenness-16) echo "betweenness from 16 sources" ;;
    eigenvector) echo "eigenvector centrality" ;;
    personal) echo "personalised PageRank, one seed, true L1 error at most 1e-6" ;;
    distances) echo "weighted distances to all nodes, 4 starts" ;;
    point) echo "shortest weighted way between 16 pairs of nodes" ;;
    kpaths) echo "5 shortest weighted ways between two nodes" ;;
    strong) echo "strong components" ;;
    order) echo "topological order of the arcs to larger ids" ;;
    traverse) echo "best product over at most 4 hops, top 100, 1,000 starts (agent20: every 50th)" ;;
    weighted-pagerank) echo "weighted PageRank, f64, true L1 error at most 1e-6" ;;
    jaccard) echo "Jaccard of 10,000 pairs" ;;
    descendants) echo "descendants with distances, 6 hops, 20 starts" ;;
    ancestors) echo "ancestors with distances, 6 hops, 20 starts" ;;
    pattern) echo "kinds 'referential+ temporal', 8 hops, 20 starts" ;;
    sum | min | noisy-or) echo "$1 of products over at most 4 hops, top 100, 20 starts" ;;
    pairs) echo "best 1,000 never-composed pairs" ;;
    nearest) echo "10 nearest by cosine, 64 queries" ;;
    nearest-inside) echo "10 nearest inside 1 % of the vectors, 64 queries" ;;
    leiden) echo "Leiden, modularity, 2 iterations" ;;
    load) echo "load: arrays in memory to a queryable graph" ;;
    open) echo "open, warm, and one pass over all edges" ;;
  esac
}

size_of() {
  case $1 in
    kronecker | kronecker64 | uniform | directed) echo "${SCALE:-18}" ;;
    web | grid) echo $((${SCALE:-18} / 2 * 2)) ;;
    wordnet) echo "${PLEXUS_WORDNET:-/usr/share/wordnet}" ;;
    *-small) echo "${SMALL_SCALE:-12}" ;;
    agent | agent20) echo "${TURNS:-332000}" ;;
    tags) echo "${FACTS:-5000}" ;;
    vectors) echo "${PLEXUS_BENCH_VECTORS:-${ROWS:-100000}}" ;;
  esac
}

# The folder of an input, made when it is not there.
input() {
  local kind=$1 size folder
  size=$(size_of "$kind")
  kind=${kind%-small}
  folder=$dir/$kind-$(basename "$size" .fvecs)
  if [ ! -f "$folder/ready" ]; then
    rm -rf "$folder"
    case $kind in
      web | grid | wordnet)
        "$build/../make_shape" "$kind" "$size" "$folder-sym.sg" >&2
        "$build/peer_prepare" serialized "$folder-sym.sg" "$folder" >&2
        rm -f "$folder-sym.sg" ;;
      *) "$build/peer_prepare" "$kind" "$size" "$folder" >&2 ;;
    esac
    touch "$folder/ready"
  fi
  echo "$folder"
}

# How to get a program that is not there; empty when it is.
missing() {
  case $1 in
    duckdb) (cd "$here" && node -e 'require.resolve("@duckdb/node-api")' 2>/dev/null) ||
      echo "npm install @duckdb/node-api, then PEERS_NODE_MODULES=.../node_modules" ;;
    kuzu) (cd "$here" && node -e 'require("kuzu")' 2>/dev/null) ||
      echo "npm install kuzu (and run its install.js), then PEERS_NODE_MODULES=.../node_modules" ;;
    *) [ -x "$build/peer_$1" ] || echo "bench/peers/run.sh install, then cmake and build again" ;;
  esac
}

run_peer() {  # PROGRAM WORK FOLDER ANSWER TRIALS
  local command=("$build/peer_$1")
  if [ -f "$here/$1_peer.js" ]; then command=(node --max-old-space-size=4096 "$here/$1_peer.js"); fi
  timeout "${PEERS_TIMEOUT:-300}" "${command[@]}" "$2" "$3" "$4" "$5"
}

# Splits a member into label, program, program_work and compare_as.
split() {
  IFS=: read -r label program program_work compare_as <<<"$1"
  program=${program:-$label} program_work=${program_work:-$work} compare_as=${compare_as:-$work}
}

failures=0 again=yes
# Compares the answers of a row's members; those that agree get a file that says so.
verify() {  # MEMBER...; the row's variables are measure's
  local verdict how
  if [ -z "${MEMBERS:-}" ]; then rm -rf "$results"; fi
  mkdir -p "$results"
  basename "$folder" >"$results/input"
  if [ ! -f "$folder/$work.f64" ]; then
    run_peer reference "$work" "$folder" "$folder/$work.part" 1 >/dev/null
    mv "$folder/$work.part" "$folder/$work.f64"
  fi
  for member in "$@"; do
    split "$member"
    rm -f "$results/$label".{verdict,agrees,first,out}
    if how=$(missing "$program") && [ -n "$how" ]; then
      echo "not installed: $how" >"$results/$label.verdict"
    elif ! run_peer "$program" "$program_work" "$folder" "$dir/answer" 1 >"$results/$label.first"; then
      echo "failed, or stopped after ${PEERS_TIMEOUT:-300} s" >"$results/$label.verdict"
      failures=$((failures + 1))
    elif verdict=$("$build/peer_compare" "$compare_as" "$dir/answer" "$folder/$work.f64"); then
      echo "$verdict" >"$results/$label.verdict"
      touch "$results/$label.agrees"
    else
      echo "DISAGREES: $verdict" >"$results/$label.verdict"
      failures=$((failures + 1))
    fi
    echo "$row $label: $(cat "$results/$label.verdict")" >&2
  done
  rm -f "$dir/answer"
}

measure() {  # ROW INPUT WORK MEMBER...
  local row=$1 kind=$2 work=$3 folder results member label program program_work compare_as agreeing=() chosen=()
  shift 3
  folder=$(input "$kind")
  results=$dir/results/$row
  if [ -n "${MEMBERS:-}" ]; then
    for member in "$@"; do
      if [[ " $MEMBERS " == *" ${member%%:*} "* ]]; then chosen+=("$member"); fi
    done
    set -- "${chosen[@]}"
  fi
  if [ "$again" = yes ]; then verify "$@"; fi
  for member in "$@"; do
    split "$member"
    if [ -f "$results/$label.agrees" ]; then agreeing+=("$member"); fi
  done
  for ((round = 0; round < ${ROUNDS:-5}; ++round)); do
    for member in "${agreeing[@]}"; do
      split "$member"
      run_peer "$program" "$program_work" "$folder" - "${TRIALS:-1}" >>"$results/$label.out"
    done
  done
}

# Median, least and greatest of the numbers of one key, and how many there are; from five on
# the quartiles for least and greatest. All are interpolated between the two next to them.
spread() {  # FILE KEY
  if [ ! -f "$1" ]; then return 0; fi
  sed -n "s/^$2: //p" "$1" | sort -g | awk '
    function at(share,   place, below) {
      place = 1 + share * (NR - 1)
      below = int(place)
      return below < NR ? t[below] + (place - below) * (t[below + 1] - t[below]) : t[NR]
    }
    {t[NR] = $1}
    END {if (NR) print at(0.5), at(NR < 5 ? 0 : 0.25), at(NR < 5 ? 1 : 0.75), NR}' OFMT=%.9g
}
first() { spread "$@" | cut -d' ' -f1; }  # the median alone
human() { awk -v s="$1" 'BEGIN {if (s < 0.001) printf "%.1f us", s * 1e6; else if (s < 1) printf "%.3g ms", s * 1e3; else printf "%.3g s", s}'; }

table() {
  local row kind work members results label program program_work compare_as median low high count base ratio load note each
  echo "| work, input | program | median (least to greatest; quartiles from 5 runs on) | times Plexus's | loading | agreement; how |"
  echo "|---|---|---|---|---|---|"
  while read -r row kind work members; do
    results=$dir/results/$row
    [ -d "$results" ] || continue
    read -r base _ <<<"$(spread "$results/plexus.out" time)"
    for member in $members; do
      split "$member"
      [ -f "$results/$label.verdict" ] || continue
      read -r median low high count <<<"$(spread "$results/$label.out" time)" || true
      note=$(sed -n 's/^note: //p' "$results/$label.first" 2>/dev/null || true)
      load=$(first "$results/$label.out" load)
      each=
      if grep -q query_median "$results/$label.out" 2>/dev/null; then
        each="; a query: median $(human "$(first "$results/$label.out" query_median)"), p99 $(human "$(first "$results/$label.out" query_p99)")"
      fi
      if [ -n "${median:-}" ]; then
        ratio=$([ "$label" = plexus ] && echo "" || awk -v a="$median" -v b="${base:-0}" 'BEGIN {if (b > 0) printf "%.3g", a / b}')
        echo "| $(title "$work"); $(cat "$results/input") | $label | $(human "$median") ($([ "$count" -lt 5 ] || echo "quartiles ")$([ "$count" = 1 ] && echo "1 run" || echo "$(human "$low") to $(human "$high"), $count runs")) | $ratio | ${load:+$(human "$load")} | $(cat "$results/$label.verdict")${note:+; $note}$each |"
      else
        echo "| $(title "$work"); $(cat "$results/input") | $label | | | | $(cat "$results/$label.verdict") |"
      fi
    done
  done < <(rows)
  echo
  echo "Versions: $(cat "$dir"/results/*/*.first | sed -n 's/^version: //p' | sort -u | paste -sd';' | sed 's/;/; /g')."
  echo "Plexus and every program here: $(g++ --version | head -1), preset release (-O3), no -march=native; $PEERS_THREADS threads where a program has more than one."
  echo "Medians over processes that took turns (A B C A B C ...); \"loading\" is apart from the time. No program was given huge pages; Plexus asks for its own (madvise)."
  echo "Commit: $(git -C "$root" rev-parse --short HEAD 2>/dev/null || echo unknown), $(date -u +%F)."
  echo "Machine: $(nproc) cores, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1). ${PEERS_CAPTION:-}"
}

begin="<!-- peers: begin, written by bench/peers/run.sh table write -->" end="<!-- peers: end -->"
write_table() {
  local results=$here/RESULTS.md
  grep -qF "$begin" "$results" && grep -qF "$end" "$results" || { echo "peers: $results has no marker lines" >&2; exit 1; }
  table >"$dir/table.md"
  awk -v begin="$begin" -v end="$end" -v table="$dir/table.md" '
    $0 == end {inside = 0}
    !inside {print}
    $0 == begin {inside = 1; while ((getline line < table) > 0) print line}' "$results" >"$dir/results.md"
  cat "$dir/results.md" >"$results"
  "$here/../results.sh" peers
}

measure_rows() {
  local line row wanted
  while read -r line; do
    row=${line%% *}
    for wanted in "$@"; do
      # shellcheck disable=SC2086  # a row is words
      if [[ $row == *-wordnet && ! -d $(size_of wordnet) ]]; then continue; fi
      if [ "$wanted" = "$row" ] || [ "$wanted" = all ]; then measure $line </dev/null; fi
    done
  done < <(rows)
}

dir=${PEERS_DIR:-${TMPDIR:-/tmp}/plexus-peers}
case ${1:-all} in
  all) mkdir -p "$dir"; measure_rows all; table; write_table ;;
  measure) mkdir -p "$dir"; shift; measure_rows "$@" ;;
  more) shift; again=no; measure_rows "$@" ;;
  table) table; if [ "${2:-}" = write ]; then write_table; fi ;;
  rows) rows ;;
  install)
    mapfile -t packages < <(grep -v '^#' "$here/packages.txt")
    apt-get install -y --no-install-recommends "${packages[@]}"
    echo "For DuckDB and Kuzu: npm install @duckdb/node-api kuzu, anywhere; PEERS_NODE_MODULES names its node_modules." ;;
  smoke)
    dir=$(mktemp -d)
    trap 'rm -rf "$dir"' EXIT
    unset PLEXUS_BENCH_VECTORS
    export PLEXUS_WORDNET=none
    SCALE=8 SMALL_SCALE=6 TURNS=600 FACTS=300 ROWS=2000 ROUNDS=0 measure_rows all
    if ((failures > 0)); then echo "peers: $failures members failed or disagree" >&2; exit 1; fi
    echo "peers: all answers agree" ;;
  *) sed -n '2,/^set /p' "$0" | sed -n 's/^# \{0,1\}//p'; exit 2 ;;
esac
if ((failures > 0)); then exit 1; fi
