#!/bin/bash
# The explorer in Debian's Chromium, on the build folder of a release that is there:
#   browser.sh BUILD
# The build gets the page (PLEXUS_WEB), and keeps it. Exit code 77 (skipped) where npm reaches no
# registry, or there is no Chromium and none can be installed.
set -euo pipefail
build=$(realpath "$1")
skip() { echo "browser.sh: SKIPPED, $1"; exit 77; }
command -v node >/dev/null && command -v npm >/dev/null || skip "no node and npm here"
if [ ! -x "${CHROMIUM:-/usr/bin/chromium}" ]; then
  install=(timeout 120 apt-get install -y --no-install-recommends chromium fonts-dejavu-core)
  DEBIAN_FRONTEND=noninteractive "${install[@]}" >/dev/null 2>&1 || skip "no Chromium, and apt could not install it"
fi
if [ ! -d "$build/tools/web/node_modules/esbuild" ]; then
  timeout 30 npm view esbuild version >/dev/null 2>&1 || skip "npm reaches no registry"
fi
cmake -DPLEXUS_WEB=ON "$build" >/dev/null
cmake --build "$build" --target plexus_cli
# A browser on a busy machine may be late once.
ctest --test-dir "$build" --output-on-failure --repeat until-pass:3 -R "^web_(types|ledger|writes|tokens|once|wordnet|hostile|file|app|order)$"  # web_questions compares pictures: fonts differ
