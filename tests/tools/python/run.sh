#!/bin/bash
# Puts the package together and runs a file of tests, or a script with PYTHON and the package's folder.
# Usage: run.sh PYTHON BUILD_DIR TEST_FILE
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$here/../../.." && pwd)
package=$2/tests/tools/python/package
library=$2/tools/c/libplexus.so.0
export PYTHONDONTWRITEBYTECODE=1
# A library with sanitizers finds them in its process first. Interpreters leak on purpose.
if nm -D "$library" | grep ' U __asan_init' >/dev/null; then
  ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
  LD_PRELOAD=$(clang-19 -print-file-name=libclang_rt.asan-x86_64.so)
  export ASAN_OPTIONS LD_PRELOAD PYTHONMALLOC=malloc_debug
fi
# The library is not copied: PLEXUS_LIBRARY names it.
if [ ! -e "$package/stamp" ] || [ "$library" -nt "$package/stamp" ] ||
    [ -n "$(find "$tree/tools/python" -newer "$package/stamp" -print -quit)" ]; then
  rm -rf "$package"
  mkdir -p "$package"
  cp -r "$tree/tools/python/plexus" "$tree/tools/python/_plexus_networkx.py" "$package"
  PYTHONPATH=$tree/tools/python "$1" -c "import sys, backend; backend.write_info(*sys.argv[1:])" "$package" "$library"
  "$1" "$tree/tools/python/generate.py" "$library" "$package/plexus"
  touch "$package/stamp"
fi
export PYTHONPATH=$package PLEXUS_LIBRARY=$library PLEXUS_PROGRAM=$2/tools/plexus PLEXUS_BUILD=$2
case $3 in *.sh) exec "$here/$3" "$1" "$package" ;; esac
exec "$1" -X dev -W error::ResourceWarning "$here/$3" -v
