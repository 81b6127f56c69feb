#!/bin/bash
# Makes the packages of a release, checks them and prints their digests: Debian's are installed in a
# new Debian 12 that debootstrap makes, the archive runs in a bare root. As root, with a mirror in reach.
# Usage: tools/scripts/release.sh [BUILD_DIR [PACKAGES_DIR]], default build/release and its packages/.
#   PLEXUS_MIRROR=URL  where debootstrap gets Debian (default: its own).
set -euo pipefail
cd "$(dirname "$0")/../.."
[ "$(id -u)" = 0 ] || { echo "release: not root" >&2; exit 1; }
source tools/scripts/setup.sh
build=${1:-build/release}
packages=${2:-$build/packages}
for tool in debootstrap doxygen; do
  command -v "$tool" >/dev/null || apt-get install -y --no-install-recommends "$tool" >/dev/null
done
[ -e "$build/CMakeCache.txt" ] || cmake --preset release -B "$build" >/dev/null
grep -q '^CMAKE_BUILD_TYPE:[A-Z]*=Release$' "$build/CMakeCache.txt" || { echo "release: $build is no release build" >&2; exit 1; }
cmake -B "$build" >/dev/null
cmake --build "$build" --target plexus_cli plexus_c plexus_docs
rm -rf "$packages"
debian=$(mktemp -d)
trap 'rm -rf --one-file-system "$debian"' EXIT
# What it mounts in the root ends with it.
unshare -m debootstrap --variant=minbase bookworm "$debian" ${PLEXUS_MIRROR:+"$PLEXUS_MIRROR"} >/dev/null
tests/install/packages.sh "$build" "$packages" "$debian"
(cd "$packages" && sha256sum -- *.deb *.tar.gz | tee SHA256SUMS)
