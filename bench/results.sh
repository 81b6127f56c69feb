#!/bin/bash
# Puts measured rows into the tables of bench/RESULTS.md. A new row takes the place of the old row
# of the same work; nothing is appended twice.
#
#   bench/compare_gap.sh GAPBS all 5 | bench/results.sh gap [NAME]
#       Rows that compare_gap.sh prints at its end. NAME is added to the kernel's name, for
#       example "charged" after PLEXUS_OPTIONS="-l charged".
#   bench/results.sh peers
#       The short form of bench/peers/RESULTS.md (bench/peers/run.sh table write calls it).
#   bench/results.sh frontier REPOSITORY...
#       What comes next on git histories: each lens, each history and cut beside the best other.
#   bench/results.sh recall FOLDER
#       recall and MRR of every set. FOLDER has the files that bench/notes/retrieval.md names.
#
# Environment: RESULTS_MACHINE, a letter of the table of machines in RESULTS.md (default "?");
# RESULTS_PROGRAMS, where the programs are (default build/release/bench).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
results=$here/RESULTS.md
programs=${RESULTS_PROGRAMS:-$here/../build/release/bench}
new=$(mktemp)
trap 'rm -f "$new"' EXIT

# replace SECTION: the lines between the marks of the section become standard input.
replace() {
  local begin="<!-- $1: begin -->" end="<!-- $1: end -->"
  cat >"$new.rows"
  awk -v begin="$begin" -v end="$end" -v rows="$new.rows" '
    $0 == end {inside = 0}
    !inside {print}
    $0 == begin {found = inside = 1; while ((getline line < rows) > 0) print line}
    END {exit !found}' "$results" >"$new"
  rm -f "$new.rows"
  cat "$new" >"$results"
}

gap() {
  local stamp
  stamp="${RESULTS_MACHINE:-?}, $(date -u +%F), $(git -C "$here" rev-parse --short HEAD)"
  awk -F' *[|] *' -v stamp="$stamp" -v name="${1:+ $1}" '
    FNR == 1 {++file}
    file == 1 && $2 ~ /^(pr|bfs|cc|sssp|tc|bc|build)$/ && NF == 9 {
      row = "| " $2 name " | " $3
      for (i = 4; i < 8; ++i) row = row " | " $i
      key = $2 name "|" $3
      if (!(key in fresh)) order[++count] = key
      fresh[key] = row " | " $8 "; " stamp " |"
    }
    file == 2 && /^<!-- gap: begin/ {inside = 1; next}
    file == 2 && /^<!-- gap: end/ {inside = 0}
    file == 2 && inside {
      key = $2 "|" $3
      print key in fresh ? fresh[key] : $0
      delete fresh[key]
    }
    END {for (i = 1; i <= count; ++i) if (order[i] in fresh) print fresh[order[i]]}' - "$results" |
    replace gap
}

# One line a work: our median, then each other program and how many times our time it took.
peers() {
  awk -F' *[|] *' '
    function flush() { if (work != "") print "| " work " | " ours " | " others " | " runs " |" }
    BEGIN {
      print "| work, input | Plexus | times the time of Plexus | runs |"
      print "|---|---|---|---|"
    }
    /^<!-- peers: begin/ {inside = 1}
    /^<!-- peers: end/ {inside = 0}
    inside && /^\| / && $2 != "work, input" {
      if ($2 != work) { flush(); work = $2; ours = others = runs = "" }
      median = $4; sub(/ \(.*/, "", median)
      found = match($4, /[0-9]+ runs?\)/) ? substr($4, RSTART, RLENGTH - 1) : ""
      recall = match($7, /recall [0-9.]+/) ? " (" substr($7, RSTART, RLENGTH) ")" : ""
      if ($3 == "plexus") { ours = median; runs = found; sub(/ runs?/, "", runs); next }
      times = $5
      if (times ~ /e/) times = sprintf("%d", times)
      text = $3 " " (times != "" ? times : $4 != "" ? median : $7 ~ /^failed/ ? "failed" : "not timed") recall
      others = others (others == "" ? "" : ", ") text
    }
    END {flush()}' "$here/peers/RESULTS.md" | replace peers
}

# The tables over all histories of a run.
over_histories() {
  awk '
    /^[|] (pairs: hits|triples: hits|[^|]* against, over|history and cut)/ {if (inside++) print ""; kept = 1}
    !/^[|]/ {kept = 0}
    kept && !/^[|] (likely|surface) without /'
}

frontier() {
  [ $# -gt 0 ] || usage
  {
    "$programs/frontier_eval" --cuts 0.6,0.7,0.8 "$@" | over_histories
    echo
    "$programs/frontier_eval" --outcomes --only-pairs --cuts 0.6,0.7,0.8 "$@" | over_histories | sed "/^| history/,\$d" | cat -s
  } | replace frontier
}

# The last table of a run, of its systems those that differ without word vectors.
systems() {
  awk '/^recall@1 [/]/ {kept = 1; next}
    kept && /^[|]/ && !/^[|] (BM25, rerank|vectors|random projections, rerank|PageRank from both)/ &&
      !/^[|] (vectors, rerank|plan recall with the vector)/'
}

recall() {
  [ -d "${1:-}" ] || usage
  {
    (cd "$1" && "$programs/retrieval_eval" --reported hotpot.jsonl 2wiki.jsonl musique.jsonl locomo.jsonl) | systems
    echo
    (cd "$1" && "$programs/retrieval_eval" --untuned realtalk.jsonl cacm.jsonl cisi.jsonl newcomer.jsonl) | systems
    echo
    (cd "$1" && "$programs/retrieval_eval" --reported hotpot9221.jsonl 2wikidev.jsonl musique11656.jsonl) | awk -F' *[|] *' '
      / passages, / {set = $0; sub(/ passages, .* tune,/, " passages,", set); name = name " " set " |"; bars = bars "---|"}
      NF == 9 && ($2 == "BM25" || $2 == "default") {row[$2] = row[$2] sprintf(" %.3f / %.3f / %.3f / %.3f / %.3f |", $3, $4, $5, $6, $8)}
      /^[|] default above BM25/ {interval = $0}
      END {
        print "| recall@1 / @2 / @3 / @5 / MRR |" name "\n|---|" bars
        print "| BM25 |" row["BM25"] "\n| default |" row["default"]
        print interval
      }'
  } | replace recall
}

usage() {
  sed -n '2,/^set /p' "$0" | sed -n 's/^# \{0,1\}//p'
  exit 2
}

case ${1:-} in
  gap) gap "${2:-}" ;;
  peers) peers ;;
  frontier) frontier "${@:2}" ;;
  recall) recall "${2:-}" ;;
  *) usage ;;
esac
