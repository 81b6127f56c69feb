#!/bin/bash
# Builds and runs the consumer project in all ways: against an installed tree, by
# add_subdirectory, through pkg-config, and against installed shared libraries.
# Usage: tests/install/run.sh [BUILD_DIR], default build/install.
# Configures and builds trees there; needs what tools/scripts/packages.txt lists.
set -euo pipefail
tree=$(cd "$(dirname "$0")/../.." && pwd)
work=${1:-$tree/build/install}
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
install_tree() {  # install_tree TREE PREFIX ARGUMENT...: the libraries
  local build=$work/$1 prefix=$work/$2
  shift 2
  cmake -S "$tree" -B "$build" -G Ninja "${release[@]}" \
    -DPLEXUS_WARNINGS_AS_ERRORS=ON -DPLEXUS_BUILD_TESTS=OFF -DPLEXUS_BUILD_BENCH=OFF "$@" >/dev/null
  cmake --build "$build"
  rm -rf "$prefix"
  cmake --install "$build" --prefix "$prefix" >/dev/null
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

install_tree tree prefix -DPLEXUS_BUILD_TOOLS=OFF
# The public headers and no others; one source that includes them all; the documents.
sort "$work/tree/public_headers.txt" >"$work/listed"
(cd "$work/prefix/include/plexus" && find . -type f | cut -c3- | sort) >"$work/found"
diff "$work/listed" "$work/found" || fail "the headers installed are not the listed ones"
sed 's|.*|#include "plexus/&"|' "$work/listed" >"$work/all.cc"
eigen=$(pkg-config --cflags eigen3)
# shellcheck disable=SC2086  # flags are words
g++ -std=c++23 -fsyntax-only -I"$tree/tests/install/host" -I"$work/prefix/include" $eigen "$work/all.cc"
"$tree/tests/install/documents.sh" "$work/tree"
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
consume subdirectory adaptors -DPLEXUS_TREE="$tree" -DPLEXUS_WARNINGS_AS_ERRORS=ON -DPLEXUS_UNITY_BUILD=ON

# With the program. Without precompiled headers and each source alone: every source of the
# libraries and the program names what it includes.
install_tree shared_tree shared_prefix -DBUILD_SHARED_LIBS=ON -DPLEXUS_BUILD_C=OFF \
  -DPLEXUS_PRECOMPILED_HEADERS=OFF -DPLEXUS_UNITY_BUILD=OFF
rm -rf "$work/shared_prefix/program.db"
"$work/shared_prefix/bin/plexus" link a b --db "$work/shared_prefix/program.db" >/dev/null
"$work/shared_prefix/bin/plexus" neighbors a --db "$work/shared_prefix/program.db" | grep -qw b
consume shared adaptors -DCMAKE_PREFIX_PATH="$work/shared_prefix"
pkg_config_consumer shared_prefix
for library in engine storage formats algorithms; do
  nm -DC --defined-only "$work/shared_prefix/lib/libplexus_$library.so" >"$work/symbols"
  grep -q plexus:: "$work/symbols" || fail "libplexus_$library.so exports nothing"
  if grep -v plexus:: "$work/symbols"; then fail "libplexus_$library.so exports names that are not Plexus's"; fi
done
echo "install: all ways work"
