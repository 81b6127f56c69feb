#!/bin/bash
# From a database to a job and back: export, plexus-dist, import, as a user types it.
# Usage: tests/distributed/round_trip.sh BUILD_DIR
set -euo pipefail
plexus=$(cd "$1" && pwd)/tools/plexus
dist=$(cd "$1" && pwd)/tools/distributed/plexus-dist
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "round_trip: $*" >&2; exit 1; }
refused() {  # refused WORDS COMMAND...: it fails and says so
  local words=$1
  shift
  if "$@" >said 2>&1; then fail "was not refused: $*"; fi
  grep -q "$words" said || { cat said; fail "does not say '$words': $*"; }
}
dist() { mpirun --oversubscribe -np 4 "$dist" --quiet "$@"; }

printf '%s\n' 'source,target,kind,weight' 'a,b,knows,1' 'b,c,knows,0.5' 'c,a,likes,2' 'd,e,knows,1' >g.csv
"$plexus" import --db g --quiet g.csv >/dev/null
"$plexus" import --db other --quiet g.csv >/dev/null
"$plexus" export --db g --format csr-parts -o g.parts --ids a --ids d | grep -q '^0 a$' || fail "ids"
"$plexus" export --db g --format csr-parts | cmp - g.parts || fail "stdout and file differ"
seed=$("$plexus" export --db g --format csr-parts -o g.parts --ids d --json | grep -o '"id":[0-9]*')
dist pagerank --parts g.parts --out g.rank --tolerance 1e-12 >/dev/null
dist components --parts g.parts --out g.comp >/dev/null
dist khop --parts g.parts --out g.hops --seed "${seed#*:}" >/dev/null
refused "another graph" "$plexus" import --db other g.rank
refused "goes with" "$plexus" import --db g --column rank g.csv
head -c -1 g.rank >cut.rank
refused "bytes, its header says" "$plexus" import --db g cut.rank
"$plexus" import --db g --quiet --column rank g.rank >/dev/null
refused "at sequence" "$plexus" import --db g g.comp
"$plexus" export --db g --format csr-parts -o g.parts >/dev/null
dist components --parts g.parts --out g.comp >/dev/null
dist khop --parts g.parts --out g.hops --seed "${seed#*:}" >/dev/null
"$plexus" import --db g --quiet g.comp g.hops >/dev/null
"$plexus" pagerank --db g --top 0 --tolerance 1e-12 --json >own.json
"$plexus" export --db g >g.jsonl
/usr/bin/env python3 - <<'PYTHON'
import json
own = {n["key"]: n["score"] for n in json.load(open("own.json"))["nodes"]}
nodes = {r["node"]: r for r in map(json.loads, open("g.jsonl")) if "node" in r}
assert len(own) == 5
assert sum(abs(own[k] - nodes[k]["rank"]) for k in own) < 1e-9, (own, nodes)
assert {k: nodes[k]["components"] for k in nodes} == {"a": 0, "b": 0, "c": 0, "d": 3, "e": 3}, nodes
assert {k: nodes[k].get("khop") for k in nodes} == {"a": None, "b": None, "c": None, "d": 0, "e": 1}, nodes
PYTHON
refused "damage\|digest" bash -c 'printf x | dd of=g.parts bs=1 seek=100 conv=notrunc 2>/dev/null; mpirun --oversubscribe -np 4 "$0" --quiet pagerank --parts g.parts --out none' "$dist"
[ ! -e none ] || fail "a result of a damaged part"
echo "round trip: good"
