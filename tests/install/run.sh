#!/bin/bash
# Builds and runs the consumer project in all ways: against an installed tree, by
# add_subdirectory, through pkg-config, and against installed shared libraries.
# Usage: tests/install/run.sh BUILD_DIR [WORK_DIR]: a build of the libraries, the program and the C
# interface, which is installed; the other trees are made in WORK_DIR, default build/install.
set -euo pipefail
tree=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
work=${2:-$tree/build/install}
mkdir -p "$work"
# Not optimised: what is asked is whether they link and load, and that compiles sooner.
release=(-DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O0)
if command -v ccache >/dev/null; then release+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
fail() { echo "install: $*" >&2; exit 1; }
consume() {  # consume NAME "adaptors or nothing" ARGUMENT...
  local name=$1 adaptors=$2
  shift 2
  cmake -S "$tree/tests/install" -B "$work/$name" -G Ninja "${release[@]}" "$@" >/dev/null
  cmake --build "$work/$name" --target consumer clash $adaptors
  rm -rf "$work/$name/consumer.db"
  (cd "$work/$name" && ctest --output-on-failure)
}
install_tree() {  # install_tree BUILD_DIR PREFIX
  rm -rf "$2"
  cmake --install "$1" --prefix "$2" >/dev/null
}
pkg_config_consumer() {  # pkg_config_consumer PREFIX PKG_CONFIG_ARGUMENT...: no CMake at all
  local prefix=$work/$1 program=$work/$1/pkg_config_consumer flags
  shift
  local -x PKG_CONFIG_PATH=$prefix/lib/pkgconfig
  flags="$(pkg-config --cflags --libs "$@" plexus) -Wl,-rpath,$(pkg-config --variable=libdir plexus)"
  # shellcheck disable=SC2086  # flags are words
  g++ -std=c++23 -I"$tree/tests/install/host" "$tree/tests/install/consumer.cc" $flags -o "$program"
  rm -rf "$prefix/consumer.db"
  "$program" "$prefix/consumer.db"
}

install_tree "$build" "$work/prefix"
# The public headers and no others; one source that includes them all; the documents.
sort "$build/public_headers.txt" >"$work/listed"
(cd "$work/prefix/include/plexus" && find . -type f | cut -c3- | sort) >"$work/found"
diff "$work/listed" "$work/found" || fail "the headers installed are not the listed ones"
sed 's|.*|#include "plexus/&"|' "$work/listed" >"$work/all.cc"
eigen=$(pkg-config --cflags eigen3)
# shellcheck disable=SC2086  # flags are words
g++ -std=c++23 -fsyntax-only -I"$tree/tests/install/host" -I"$work/prefix/include" $eigen "$work/all.cc"
"$tree/tests/install/documents.sh" "$build"
consume installed adaptors -DCMAKE_PREFIX_PATH="$work/prefix"
# A user without Eigen: everything but that one header.
consume without_eigen "" -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON -DPLEXUS_ADAPTORS=OFF
if cmake -S "$tree/tests/install" -B "$work/required" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" \
    -DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON -DPLEXUS_REQUIRE=eigen >"$work/required.log" 2>&1; then
  fail "a missing component was not refused"
fi
grep -q eigen "$work/required.log"
pkg_config_consumer prefix
pkg_config_consumer prefix --static
# Without precompiled headers and each source alone, as a subdirectory is by default: every source
# of the libraries names what it includes.
consume subdirectory adaptors -DPLEXUS_TREE="$tree" -DPLEXUS_WARNINGS_AS_ERRORS=ON

cmake -S "$tree" -B "$work/shared_tree" -G Ninja "${release[@]}" -DBUILD_SHARED_LIBS=ON \
  -DPLEXUS_BUILD_TESTS=OFF -DPLEXUS_BUILD_BENCH=OFF -DPLEXUS_BUILD_TOOLS=OFF >/dev/null
cmake --build "$work/shared_tree"
install_tree "$work/shared_tree" "$work/shared_prefix"
consume shared adaptors -DCMAKE_PREFIX_PATH="$work/shared_prefix"
pkg_config_consumer shared_prefix
for library in engine storage formats algorithms; do
  nm -DC --defined-only "$work/shared_prefix/lib/libplexus_$library.so" >"$work/symbols"
  grep -q plexus:: "$work/symbols" || fail "libplexus_$library.so exports nothing"
  if grep -v plexus:: "$work/symbols"; then fail "libplexus_$library.so exports names that are not Plexus's"; fi
done
echo "install: all ways work"
