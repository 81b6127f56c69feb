#!/bin/bash
# Makes the Debian packages of the program and the C interface, installs, uses and removes them.
# Usage: packages.sh BUILD_DIR, with plexus_cli and plexus_c built; 77: not root.
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo "packages: not root, nothing is installed"; exit 77; }
tree=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
scratch=$(mktemp -d)
trap 'dpkg --purge plexus libplexus0 >/dev/null 2>&1 || true; rm -rf "$scratch"' EXIT
cd "$scratch"
cpack -G DEB --config "$build/CPackConfig.cmake" -B "$scratch/made" \
  -D CPACK_COMPONENTS_ALL="plexus;libplexus0" >"$scratch/log" || { cat "$scratch/log"; exit 1; }
dpkg -i "$scratch"/made/*.deb >/dev/null
dpkg -s libplexus0 | grep -q '^Depends:.*librocksdb'
plexus remember --db g "Deploys stop on Fridays." --quiet >/dev/null
plexus recall --db g "deploys" | grep -q Fridays
man -w plexus >/dev/null 2>&1 || test -e /usr/share/man/man1/plexus.1
cc -std=c11 -I"$tree/tools/c" "$tree/tests/tools/c/example.c" /usr/lib/libplexus.so.0 -o example
./example e | grep -q '"key":"d2"'
dpkg --purge plexus libplexus0 >/dev/null
if [ -e /usr/bin/plexus ] || [ -e /usr/lib/libplexus.so.0 ]; then
  echo "packages: something is left" >&2
  exit 1
fi
echo "packages: made, installed, used, removed"
