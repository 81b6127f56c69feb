#!/bin/bash
# plexus-dist under mpirun, against the library's own kernels. Installs Open MPI and CombBLAS where
# apt can, else exits with 77 and a word.
# Usage: tests/distributed/run.sh BUILD_DIR: a release build, which is configured to have it.
set -euo pipefail
build=$(cd "$1" && pwd)
packages=(libcombblas-dev libopenmpi-dev openmpi-bin openssh-client)
installed() { dpkg -s "${packages[@]}" >/dev/null 2>&1; }
if ! installed; then
  apt-get install -y --no-install-recommends "${packages[@]}" >/dev/null 2>&1 || true
fi
installed || { echo "left out: no Open MPI or CombBLAS here, and apt cannot install them"; exit 77; }
cmake -DPLEXUS_DISTRIBUTED=ON "$build" >/dev/null
cmake --build "$build" --target plexus_dist distributed_test plexus_cli
ctest --test-dir "$build" -L distributed --output-on-failure
"$(dirname "$0")/round_trip.sh" "$build"
