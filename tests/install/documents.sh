#!/bin/bash
# Checks that every link of an installed document to another file finds it.
# Usage: tests/install/documents.sh BUILD_DIR, a configured tree; needs no build.
set -euo pipefail
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
cmake --install "$1" --prefix "$prefix" --component doc >/dev/null
documents=$prefix/share/doc/plexus
missing=0
for document in LICENSE README.md storage/FORMAT.md; do
  test -s "$documents/$document" || { echo "documents: no $document" >&2; missing=1; }
done
while read -r document; do
  # Code holds no links.
  links=$(sed -E 's/`[^`]*`//g' "$documents/$document" | grep -oE '\]\([^) ]+\)' |
    sed -E 's/^..(.*).$/\1/; s/#.*//' || true)
  for link in $links; do
    case $link in *:*) continue ;; esac
    test -e "$(dirname "$documents/$document")/$link" ||
      { echo "documents: $document links to $link, which is not installed" >&2; missing=1; }
  done
done < <(cd "$documents" && find . -name '*.md' | cut -c3-)
exit "$missing"
