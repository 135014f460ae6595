#!/bin/sh
# Puts kustomize into .venv/bin where neither it nor kubectl is installed: from the package of Debian 13, which runs
# on Debian 12 too. Needs apt, but no root.
set -eu
cd "$(dirname "$0")/../.."
for program in .venv/bin/kustomize kustomize kubectl; do
  command -v "$program" >/dev/null && exit 0
done
command -v apt-get >/dev/null || { echo "install kustomize 5 (or kubectl 1.27 or newer)" >&2; exit 1; }
mirror=$(sh tests/deploy/mirror.sh)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
chmod -R a+rwX "$work"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" > "$work/sources.list"
apt() {
  apt-get -qq -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=- \
    -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root "$@"
}
apt update
cd "$work"
apt download kustomize
dpkg -x kustomize_*.deb package
cd "$OLDPWD"
install "$work/package/usr/bin/kustomize" .venv/bin/kustomize
