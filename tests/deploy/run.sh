#!/bin/sh
# Proves the images and Compose on this machine: engine, base images, our images, tests, and everything away again
# that was started here. On a Debian without a Docker engine it installs one and starts it; that needs root.
# PYTHON is one with the test tools. The images stay, so that the next run is faster.
set -eu
cd "$(dirname "$0")/../.."
PYTHON=${PYTHON:-.venv/bin/python}
work=$(mktemp -d)
engine=

clean_up() {
  status=$?
  trap - EXIT INT TERM
  if [ -n "$engine" ]; then
    kill "$engine" 2>/dev/null || true
    wait "$engine" 2>/dev/null || true
  fi
  rm -rf "$work"
  exit $status
}
trap clean_up EXIT INT TERM

say() { echo "test-deploy: $*"; }

missing=
for program in dockerd:docker.io docker:docker.io debootstrap:debootstrap; do
  command -v "${program%%:*}" >/dev/null || missing="$missing ${program##*:}"
done
docker compose version >/dev/null 2>&1 || command -v docker-compose >/dev/null || missing="$missing docker-compose"
if [ -n "$missing" ]; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    say "missing:$missing. Install them, or run this as root on Debian." >&2
    exit 1
  fi
  say "installing$missing"
  # Its own script would start an engine that nobody here ends.
  printf '#!/bin/sh\nexit 101\n' > "$work/policy" && chmod +x "$work/policy"
  [ -e /usr/sbin/policy-rc.d ] || { cp "$work/policy" /usr/sbin/policy-rc.d; policy=1; }
  apt-get update -qq
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing iptables > "$work/apt.log" 2>&1 ||
    { tail -20 "$work/apt.log" >&2; exit 1; }
  [ -z "${policy:-}" ] || rm -f /usr/sbin/policy-rc.d
fi

if ! docker info >/dev/null 2>&1; then
  say "starting an engine"
  dockerd > "$work/dockerd.log" 2>&1 &
  engine=$!
  n=0
  until docker info >/dev/null 2>&1; do
    n=$((n + 1))
    if [ $n -gt 60 ] || ! kill -0 "$engine" 2>/dev/null; then
      tail -20 "$work/dockerd.log" >&2
      say "the engine does not start here (it needs root, cgroups and iptables)" >&2
      exit 1
    fi
    sleep 0.5
  done
fi

tests/deploy/bases.sh
say "building the images"
make --no-print-directory images BUILD_FLAGS="--network host" 2> "$work/build.log" || { tail -30 "$work/build.log" >&2; exit 1; }
say "images and Compose"
"$PYTHON" -m pytest -q -p no:cacheprovider tests/deploy
say "the integration suite on images"
ASK_TEST_SERVERS=containers "$PYTHON" -m pytest -q -n 2 --dist loadfile -p no:cacheprovider tests/integration
