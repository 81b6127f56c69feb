# Installs the packages of tools/scripts/packages.txt that this machine lacks. Sourced by
# tools/demo.sh, tools/test.sh and .ci/run; does nothing, and needs no rights and no
# network, when everything is there.
#   PLEXUS_SKIP_SETUP=1  go on without looking.

# A compiler cache keeps nothing that was made with precompiled headers unless told to.
export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros,include_file_mtime,include_file_ctime}
# By contents of files: a header that differs by a comment makes another precompiled header.
export CCACHE_DEPEND=${CCACHE_DEPEND:-1}

plexus_setup() {
  local list package root=() missing=()
  list="$(dirname "${BASH_SOURCE[0]}")/packages.txt"
  if [[ ${PLEXUS_SKIP_SETUP:-0} == 1 ]]; then return 0; fi
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "setup: no apt here; see $list for what Plexus needs (names of Debian 12)" >&2
    return 0
  fi
  while read -r package _; do
    if [[ -z $package || $package == \#* ]]; then continue; fi
    if [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true) != installed ]]; then
      missing+=("$package")
    fi
  done <"$list"
  if ((${#missing[@]} == 0)); then return 0; fi

  echo "setup: installing ${missing[*]}" >&2
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      echo "setup: not root and no sudo. As root, run: apt-get install ${missing[*]}" >&2
      return 1
    fi
    root=(sudo)
  fi
  local install=(env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends)
  # Package lists may be old or absent: one refresh, then a second try.
  if "${root[@]}" "${install[@]}" "${missing[@]}" >/dev/null 2>&1; then return 0; fi
  if "${root[@]}" apt-get update >/dev/null && "${root[@]}" "${install[@]}" "${missing[@]}" >&2; then
    return 0
  fi
  echo "setup: could not install ${missing[*]}. Is there a network? Then run:" >&2
  echo "setup:   ${root[*]} apt-get update && ${root[*]} apt-get install ${missing[*]}" >&2
  return 1
}

plexus_setup
