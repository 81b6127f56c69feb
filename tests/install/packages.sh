#!/bin/bash
# Makes the Debian packages of the program and the C interface, installs, uses and removes them.
# Usage: packages.sh BUILD_DIR, with plexus_cli and plexus_c built; 77: not root, or they are
# installed here, and stay.
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo "packages: not root, nothing is installed"; exit 77; }
if { dpkg-query -W -f='${db:Status-Abbrev}\n' plexus libplexus0 2>/dev/null || true; } | grep '^i' >/dev/null; then
  echo "packages: plexus is installed here, and stays"
  exit 77
fi
tree=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
scratch=$(mktemp -d)
trap 'dpkg --purge plexus libplexus0 >/dev/null 2>&1 || true; rm -rf "$scratch"' EXIT
cd "$scratch"
cpack -G DEB --config "$build/CPackConfig.cmake" -B "$scratch/made" \
  -D CPACK_COMPONENTS_ALL="plexus;libplexus0" >"$scratch/log" || { cat "$scratch/log"; exit 1; }
dpkg -i "$scratch"/made/*.deb >/dev/null
dpkg -s libplexus0 | grep '^Depends:.*librocksdb' >/dev/null
plexus remember --db g "Deploys stop on Fridays." --quiet >/dev/null
plexus recall --db g "deploys" | grep Fridays >/dev/null
dpkg -L plexus | grep /man1/plexus.1 >/dev/null  # small containers leave pages out
cc -std=c11 -I"$tree/tools/c" "$tree/tests/tools/c/example.c" /usr/lib/libplexus.so.0 -o example
./example e | grep '"key":"d2"' >/dev/null
dpkg --purge plexus libplexus0 >/dev/null
if [ -e /usr/bin/plexus ] || [ -e /usr/lib/libplexus.so.0 ]; then
  echo "packages: something is left" >&2
  exit 1
fi
echo "packages: made, installed, used, removed"
