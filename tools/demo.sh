#!/bin/bash
# Plexus at work, in two parts: WordNet 3.0 becomes a durable graph that is ranked,
# traversed, searched and mined; then three weeks of an agent's memory (tools/demo/ledger).
# Installs what is missing, builds, and works in a temporary directory.
# Usage: tools/demo.sh [wordnet|ledger] [--keep]     default: both, one after the other
#   --keep leaves the graphs there and says where
#   PLEXUS_WORDNET=DIR  WordNet's database files, default /usr/share/wordnet
set -euo pipefail
from=$PWD
cd "$(dirname "$0")/.."
root=$PWD

keep=0 parts=()
for argument in "$@"; do
  case $argument in
    --keep) keep=1 ;;
    wordnet | ledger) parts+=("$argument") ;;
    *) sed -n '2,7s/^# //p' "$0"; [[ $argument == --help ]] && exit 0; exit 2 ;;
  esac
done
((${#parts[@]})) || parts=(wordnet ledger)

source tools/scripts/setup.sh
wordnet=${PLEXUS_WORDNET:-/usr/share/wordnet}
if [[ $wordnet != /* ]]; then wordnet=$from/$wordnet; fi  # relative to where the demo was called
if [[ " ${parts[*]} " == *" wordnet "* && ! -r $wordnet/data.noun ]]; then
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

seconds() {  # between two values of EPOCHREALTIME
  local micros=$((${2/[.,]/} - ${1/[.,]/}))
  printf '%d.%02d s' $((micros / 1000000)) $((micros % 1000000 / 10000))
}
part() { printf '\n%s=== %s%s\n' "$bold" "$*" "$plain"; number=0; }
step() { printf '\n%s%d. %s%s\n' "$bold" $((++number)) "$*" "$plain"; }
say() { printf '   %s\n' "$@"; }
shell() {  # runs a line of shell as a reader would type it, and times it
  printf '%s$ %s%s\n' "$dim" "$1" "$plain"
  local start=$EPOCHREALTIME
  eval "$1" | sed 's/^/  /'
  printf '%s  (%s)%s\n' "$dim" "$(seconds "$start" "$EPOCHREALTIME")" "$plain"
}
beside() {  # beside WIDTH LINE LINE: what two lines of shell print, next to each other
  local LC_ALL=C.UTF-8 width=$1 row left right a b
  a=$(eval "$2")
  b=$(eval "$3")
  mapfile -t left <<<"$a"
  mapfile -t right <<<"$b"
  for ((row = 0; row < ${#left[@]} || row < ${#right[@]}; ++row)); do
    local cell=${left[row]-}
    cell=${cell:0:width}
    printf '%s%*s  %s\n' "$cell" $((width - ${#cell})) '' "${right[row]-}"
  done
}
together() {  # shows and times two lines side by side
  printf '%s$ %s\n$ %s%s\n' "$dim" "$2" "$3" "$plain"
  local start=$EPOCHREALTIME
  beside "$@" | sed 's/^/  /; s/ *$//'
  printf '%s  (%s)%s\n' "$dim" "$(seconds "$start" "$EPOCHREALTIME")" "$plain"
}

began=$EPOCHREALTIME
for name in "${parts[@]}"; do source "$root/tools/demo/$name.sh"; done
printf '\n%sAll of it took %s.%s' "$bold" "$(seconds "$began" "$EPOCHREALTIME")" "$plain"
if ((keep)); then printf ' The graphs are in %s.' "$work"; fi
echo
