#!/bin/bash
# Makes the packages of the program and the C interface. The archive runs in a root that has libc and
# libstdc++ alone, and a C program is built against it; Debian's are installed, used and removed.
# Usage: packages.sh BUILD_DIR, with plexus_cli, plexus_c and the libraries built; 77: not root, or
# Debian's are installed here, and stay.
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo "packages: not root, nothing is installed"; exit 77; }
tree=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
make_packages() {  # GENERATOR
  cpack -G "$1" --config "$build/CPackConfig.cmake" -B "$scratch/$1" >"$scratch/log" 2>&1 ||
    { cat "$scratch/log"; exit 1; }
}
use() {  # PREFIX COMMAND...: the program, and the example of the C interface, as in a new place
  local prefix=$1
  shift
  "$@" "$prefix/bin/plexus" remember --db g "Deploys stop on Fridays." --quiet >/dev/null
  "$@" "$prefix/bin/plexus" recall --db g "deploys" | grep Fridays >/dev/null
  "$@" ./example e | grep '"key":"d2"' >/dev/null
}

make_packages TGZ
mkdir -p root/{opt,tmp,proc}
tar -C root/opt --strip-components=1 -xzf TGZ/plexus-*.tar.gz
cc -std=c11 -Iroot/opt/include "$tree/tests/tools/c/example.c" -Lroot/opt/lib -lplexus \
  -Wl,-rpath-link,root/opt/lib/plexus -Wl,-rpath,/opt/lib -o root/example
# What every Debian has, and nothing else.
for name in ld-linux-x86-64.so.2 lib{c,m}.so.6 lib{gcc_s,rt}.so.1 libdl.so.2 libpthread.so.0 libstdc++.so.6; do
  file=$(cc -print-file-name="$name")
  [ "$file" = "$name" ] || install -D "$file" "root/lib/$name"
done
mkdir root/lib64
ln -s ../lib/ld-linux-x86-64.so.2 root/lib64/ld-linux-x86-64.so.2
in_root() {  # the loader asks /proc where a program lies
  unshare -m bash -c 'mount --bind /proc root/proc && exec chroot root "$@"' root "$@"
}
use /opt in_root
echo "packages: the archive runs in a bare root ($(du -h TGZ/plexus-*.tar.gz | cut -f 1))"

if dpkg-query -W -f='${db:Status-Abbrev}\n' plexus libplexus0 libplexus-dev 2>/dev/null | grep '^i' >/dev/null; then
  echo "packages: plexus is installed here, and stays"
  exit 77
fi
make_packages DEB
trap 'dpkg --purge plexus libplexus-dev libplexus0 >/dev/null 2>&1 || true; rm -rf "$scratch"' EXIT
dpkg -i DEB/*.deb >/dev/null
dpkg -s libplexus0 | grep '^Depends:.*librocksdb' >/dev/null
dpkg -L plexus | grep /man1/plexus.1 >/dev/null  # small containers leave pages out
export PKG_CONFIG_PATH=/usr/lib/pkgconfig
# shellcheck disable=SC2046  # words
cc -std=c11 -Wall -Wextra -pedantic -Werror "$tree/tests/tools/c/example.c" $(pkg-config --cflags --libs plexus-c) -o example
use /usr
dpkg --purge plexus libplexus-dev libplexus0 >/dev/null
for left in /usr/bin/plexus /usr/lib/libplexus.so* /usr/include/plexus.h /usr/include/plexus; do
  if [ -e "$left" ]; then
    echo "packages: $left is left" >&2
    exit 1
  fi
done
echo "packages: made, installed, used, removed"
