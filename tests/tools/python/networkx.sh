#!/bin/bash
# NetworkX's own tests, with Plexus as the backend of all that it takes. NetworkX 3.2 or later is
# that of PYTHON, or Debian 13's package, which apt loads beside the system; 77: neither is there.
# Usage: networkx.sh PYTHON FOLDER_OF_PACKAGE [MODULE...]; run by run.sh
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
python=$1 package=$2
shift 2
"$python" -c 'import pytest' 2>/dev/null || { echo "networkx: no pytest"; exit 77; }
other=$(dirname "$package")/networkx
is_new() { PYTHONPATH=$1 "$python" -c 'import networkx.utils.backends as b; b._dispatchable' 2>/dev/null ||
  PYTHONPATH=$1 "$python" -c 'import networkx.utils.backends as b; b._dispatch' 2>/dev/null; }
load() {  # a copy of apt's lists and state, in which the next Debian is
  local from=/etc/apt/sources.list.d/debian.sources scratch
  scratch=$(mktemp -d)
  mkdir -p "$scratch"/{lists/partial,cache/archives/partial}
  sed -n 's/^URIs: *\([^ ]*\).*/\1/p' "$from" | head -n 1 | sed \
    's#.*#deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] & trixie main#' >"$scratch/list"
  local options=(-q -o "Dir::Etc::SourceList=$scratch/list" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State::Lists=$scratch/lists" -o "Dir::Cache=$scratch/cache" -o APT::Sandbox::User=root)
  (cd "$scratch" && apt-get "${options[@]}" update && apt-get "${options[@]}" download python3-networkx &&
    dpkg-deb -x python3-networkx_*.deb deb) >"$scratch/log" 2>&1 || { rm -rf "$scratch"; return 1; }
  rm -rf "$other"
  mv "$scratch"/deb/usr/lib/python3/dist-packages "$other"
  rm -rf "$scratch"
}
path=
if ! is_new ""; then
  is_new "$other" || load || { echo "networkx: no NetworkX 3.2 here, and apt has none"; exit 77; }
  path=$other
fi
# Modules that import SciPy before they ask for a rank; Plexus needs none. What does is skipped.
scipy=$(mktemp -d)
trap 'rm -rf "$scipy"' EXIT
mkdir "$scipy/scipy"
echo '__version__ = "0"' >"$scipy/scipy/__init__.py"
"$python" -c 'import scipy' 2>/dev/null || path=$scipy:$path
# The answers next to NetworkX's, as a user gets them who lets it choose Plexus.
PYTHONPATH=$PYTHONPATH:$path NETWORKX_AUTOMATIC_BACKENDS=plexus NETWORKX_FALLBACK_TO_NX=True \
  "$python" -W error::ResourceWarning "$here/test_networkx.py"
[ $# -gt 0 ] || set -- centrality.tests.test_{betweenness,closeness,harmonic,katz,eigenvector}_centrality \
  centrality.tests.test_{group,reaching} components link_analysis.tests.test_pagerank \
  shortest_paths.tests.test_{generic,unweighted,weighted} \
  tests.test_{cluster,core,dag,distance_measures,link_prediction,bridges,moral,simple_paths}
export NETWORKX_TEST_BACKEND=plexus NETWORKX_FALLBACK_TO_NX=True PYTHONPATH=$here:$PYTHONPATH:$path
"$python" -m pytest -q -p no:cacheprovider -p networkx_report --pyargs "${@/#/networkx.algorithms.}"
