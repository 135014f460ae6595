#!/bin/sh
# Prints the mirror that this machine has its Debian packages from.
set -eu
if [ -n "${DEBIAN_MIRROR:-}" ]; then
  echo "$DEBIAN_MIRROR"
  exit
fi
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Component: main' | grep '/debian/*$' | head -n 1)
[ -n "$mirror" ] || { echo "set DEBIAN_MIRROR" >&2; exit 1; }
echo "$mirror"
