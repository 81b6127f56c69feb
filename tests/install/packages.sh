#!/bin/bash
# Makes the packages of the program and the C interface. The archive runs in a root that has libc and
# libstdc++ alone; Debian's are installed, used and removed, here or in the Debian of ROOT. A C program
# is built against both, and all say the version that the program says.
# Usage: packages.sh BUILD_DIR [PACKAGES_DIR [ROOT]], with plexus_cli, plexus_c and the libraries built.
# PACKAGES_DIR keeps the packages. ROOT is what debootstrap made, from which apt reaches a mirror.
# 77: not root, or without ROOT: Debian's are installed here, and stay.
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo "packages: not root, nothing is installed"; exit 77; }
tree=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
made=${2:-$scratch/made}
mkdir -p "$made"
made=$(cd "$made" && pwd)
debian=${3:+$(cd "$3" && pwd)}
cd "$scratch"
version=$("$build/tools/plexus" --version)
version=${version#plexus }
debian_version=${version/-/\~}           # 1.0.0-rc.1 is 1.0.0~rc1
debian_version=${debian_version/rc./rc}
fail() { echo "packages: $*" >&2; exit 1; }
make_packages() {  # GENERATOR
  cpack -G "$1" --config "$build/CPackConfig.cmake" -B "$scratch/$1" >"$scratch/log" 2>&1 ||
    { cat "$scratch/log"; exit 1; }
}
build_example() {  # FLAG...: a C program of the packages' header and library, and one that says the version
  cc -std=c11 -Wall -Wextra -pedantic -Werror "$tree/tests/tools/c/example.c" "$@" -o example
  printf '#include <plexus.h>\n#include <stdio.h>\nint main(void) { return puts(plexus_version()) < 0; }\n' |
    cc -std=c11 -x c - -x none "$@" -o version
}
use() {  # PREFIX COMMAND...: the program, and the example of the C interface, as in a new place
  local prefix=$1
  shift
  "$@" "$prefix/bin/plexus" remember --db g "Deploys stop on Fridays." --quiet >/dev/null
  "$@" "$prefix/bin/plexus" recall --db g "deploys" | grep Fridays >/dev/null
  "$@" ./example e | grep '"key":"d2"' >/dev/null
  [ "$("$@" "$prefix/bin/plexus" --version)" = "plexus $version" ] || fail "the program has another version"
  [ "$("$@" ./version)" = "$version" ] || fail "the C interface has another version"
}
in_root() {  # ROOT COMMAND...: the loader asks /proc where a program lies
  local root=$1
  shift
  unshare -m bash -c 'mount --bind /proc "$0/proc" && exec chroot "$0" "$@"' "$root" "$@"
}

make_packages TGZ
archive=TGZ/plexus-$version-Linux.tar.gz
[ -e "$archive" ] || fail "no $archive"
mkdir -p root/{opt,tmp,proc}
tar -C root/opt --strip-components=1 -xzf "$archive"
build_example -Iroot/opt/include -Lroot/opt/lib -lplexus -Wl,-rpath-link,root/opt/lib/plexus -Wl,-rpath,/opt/lib
mv example version root
# What every Debian has, and nothing else.
for name in ld-linux-x86-64.so.2 lib{c,m}.so.6 lib{gcc_s,rt}.so.1 libdl.so.2 libpthread.so.0 libstdc++.so.6; do
  file=$(cc -print-file-name="$name")
  [ "$file" = "$name" ] || install -D "$file" "root/lib/$name"
done
mkdir root/lib64
ln -s ../lib/ld-linux-x86-64.so.2 root/lib64/ld-linux-x86-64.so.2
use /opt in_root root
echo "packages: the archive runs in a bare root ($(du -h "$archive" | cut -f 1))"
cp "$archive" "$made"

packages=(plexus libplexus0 libplexus-dev)
if [ -z "$debian" ] && dpkg-query -W -f='${db:Status-Abbrev}\n' "${packages[@]}" 2>/dev/null | grep '^i' >/dev/null; then
  echo "packages: plexus is installed here, and stays"
  exit 77
fi
make_packages DEB
cp DEB/*.deb "$made"
# Built against what the packages hold, so that the Debian they go to needs no compiler.
for package in DEB/*.deb; do dpkg -x "$package" held; done
export PKG_CONFIG_PATH=$scratch/held/usr/lib/pkgconfig
for module in plexus plexus-c; do
  [ "$(pkg-config --modversion "$module")" = "$debian_version" ] || fail "$module.pc has another version"
done
# shellcheck disable=SC2046  # words
build_example $(pkg-config --cflags --libs plexus-c)
at=()
if [ -n "$debian" ]; then
  at=(in_root "$debian")
  cp DEB/*.deb example version "$debian"
  "${at[@]}" bash -c 'apt-get update && apt-get install -y --no-install-recommends /*.deb' >log 2>&1 ||
    { cat log; exit 1; }
else
  trap 'dpkg --purge "${packages[@]}" >/dev/null 2>&1 || true; rm -rf "$scratch"' EXIT
  dpkg -i DEB/*.deb >/dev/null
fi
for package in "${packages[@]}"; do
  [ "$("${at[@]}" dpkg-query -W -f='${Version}' "$package")" = "$debian_version" ] ||
    fail "$package has another version than $debian_version"
done
"${at[@]}" dpkg -s libplexus0 | grep '^Depends:.*librocksdb' >/dev/null
"${at[@]}" dpkg -L plexus | grep /man1/plexus.1 >/dev/null  # small containers leave pages out
use /usr "${at[@]}"
"${at[@]}" dpkg --purge "${packages[@]}" >/dev/null
for left in "$debian"/usr/bin/plexus "$debian"/usr/lib/libplexus.so* "$debian"/usr/include/plexus.h "$debian"/usr/include/plexus; do
  [ ! -e "$left" ] || fail "$left is left"
done
echo "packages: $debian_version made, installed${debian:+ in a new Debian}, used, removed"
