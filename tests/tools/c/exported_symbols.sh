#!/bin/bash
# Fails when the library exports another name than those listed, or one of them is gone.
# Usage: exported_symbols.sh LIBRARY
set -euo pipefail
diff "$(dirname "$0")/exported_symbols.txt" \
  <(nm -D --defined-only "$1" | awk '{print $NF}' | grep -v '^__\(asan\|ubsan\|start\|stop\|sanitizer\)' | LC_ALL=C sort)
