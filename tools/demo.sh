#!/bin/bash
# Plexus's main job, end to end: WordNet 3.0 becomes a durable graph, which is closed,
# reopened, ranked, traversed, changed and looked at as it was before.
# Installs what is missing, builds, and works in a temporary directory.
# Usage: tools/demo.sh [--keep]     --keep leaves the graph there and says where
#   PLEXUS_WORDNET=DIR  WordNet's database files, default /usr/share/wordnet
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
source tools/setup.sh

keep=0
for argument in "$@"; do
  case $argument in
    --keep) keep=1 ;;
    *) sed -n '2,6s/^# //p' "$0"; [[ $argument == --help ]] && exit 0; exit 2 ;;
  esac
done
wordnet=${PLEXUS_WORDNET:-/usr/share/wordnet}
if [[ ! -r $wordnet/data.noun ]]; then
  echo "demo: no WordNet in $wordnet (Debian: apt-get install wordnet-base)" >&2
  exit 1
fi

bold='' dim='' plain=''
if [[ -t 1 && -z ${NO_COLOR:-} ]]; then bold=$'\e[1m' dim=$'\e[2m' plain=$'\e[0m'; fi

launcher=()
if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
mkdir -p build
echo "${bold}Building Plexus (release)${plain}"
if ! cmake --preset release "${launcher[@]}" >build/demo-build.log 2>&1; then
  cat build/demo-build.log >&2
  exit 1
fi
cmake --build --preset release --target plexus_cli
PATH=$root/build/release/tools:$PATH

work=$(mktemp -d "${TMPDIR:-/tmp}/plexus-demo.XXXXXX")
if ((keep == 0)); then trap 'rm -rf "$work"' EXIT; fi
cd "$work"
export PLEXUS_DB=wordnet

seconds() {  # between two values of EPOCHREALTIME
  local micros=$((${2/[.,]/} - ${1/[.,]/}))
  printf '%d.%02d s' $((micros / 1000000)) $((micros % 1000000 / 10000))
}
began=$EPOCHREALTIME
number=0
step() { printf '\n%s%d. %s%s\n' "$bold" $((++number)) "$*" "$plain"; }
shell() {  # runs a line of shell as a reader would type it, and times it
  printf '%s$ %s%s\n' "$dim" "$1" "$plain"
  local start=$EPOCHREALTIME
  eval "$1" | sed 's/^/  /'
  printf '%s  (%s)%s\n' "$dim" "$(seconds "$start" "$EPOCHREALTIME")" "$plain"
}
concept() { plexus find --keys --top 1 "$@"; }  # from a word to a key

step "Import: WordNet's database files, in one go"
shell "plexus import --format wordnet $wordnet"

step "Checkpoint: so that opening does not replay the log"
shell 'plexus checkpoint'

step "Reopen in a new process: what is in there, and what does it cost?"
shell 'plexus stats'

step "The concepts that matter most (PageRank)"
shell 'plexus pagerank --top 10 --names'

step "The same question as asked by music and mathematics (personalised PageRank)"
music=$(concept music) mathematics=$(concept mathematics)
shell 'plexus pagerank --seed $music=2 --seed $mathematics --top 12 --names'

step "Three hops out from dog, and from piano at half the weight; a hop keeps 70 %. Each score has its path"
dog=$(concept dog) piano=$(concept piano)
shell 'plexus traverse --from $dog --from $piano=0.5 --hops 3 --decay 0.7 --top 12 --paths --names'

step "How do you get from a dog to a piano?"
shell 'plexus path --from $dog --to $piano --direction both --names'

step "Live append: a new concept, durable when the command returns, seen by the next query"
before=$(plexus stats --json | sed 's/.*"sequence":\([0-9]*\).*/\1/;q')
cat >news.jsonl <<JSON
{"node":"guide-dog-robot","kind":"concept","text":"guide dog robot\na robot that guides people as a guide dog does","tags":["new"]}
{"edge":["guide-dog-robot","$(concept 'guide dog')"],"kind":"similar","weight":0.9}
{"edge":["guide-dog-robot","$(concept robot)"],"kind":"is-a"}
JSON
shell 'plexus import news.jsonl'
shell 'plexus neighbors guide-dog-robot --names'
shell 'plexus path --from guide-dog-robot --to $dog --direction both --names'

step "The past stays: the same question as of sequence $before"
shell "plexus get guide-dog-robot --as-of $before 2>&1 || echo 'exit code 3: not found, then'"
shell "plexus stats | head -2; plexus stats --as-of $before | head -2"
shell 'plexus history guide-dog-robot'

step "A picture of a neighbourhood"
shell 'plexus export --format dot --around $dog --hops 2 --limit 45 --output dog.dot; head -4 dog.dot'
if command -v dot >/dev/null; then
  shell 'dot -Kneato -Goverlap=prism -Gsplines=true -Gdpi=70 -Tpng dog.dot -o dog.png'
  mkdir -p "$root/build/demo"
  cp dog.dot dog.png "$root/build/demo/"
  echo "  kept as build/demo/dog.png"
else
  echo "  Graphviz is not installed: no PNG, but dog.dot is one dot -Tpng away from it"
fi

step "And is it all still sound?"
shell 'plexus verify'

printf '\n%sAll of it took %s.%s' "$bold" "$(seconds "$began" "$EPOCHREALTIME")" "$plain"
if ((keep)); then printf ' The graph is in %s/wordnet.' "$work"; fi
echo
