#!/usr/bin/env bash
# Proves the images and Compose on this machine: engine, base images, our images, tests, and everything away again
# that was started here. On a Debian without a Docker engine it installs one and starts it; that needs root.
# PYTHON is one with the test tools. The images stay, so that the next run is faster.
set -euo pipefail
# Each step is a group of processes, so that it can be ended with all that it has started.
set -m
cd "$(dirname "$0")/../.."
PYTHON=${PYTHON:-.venv/bin/python}
PATH=$PATH:/usr/sbin:/sbin
# One after the other on a machine: they share the engine and remove what others have left.
if command -v flock >/dev/null; then exec 9< /tmp && flock --wait 1800 9; fi
work=$(mktemp -d)
export TMPDIR=$work
engine='' step='' policy=''

say() { printf 'test-deploy %d:%02d %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$*"; }

run() { # a command that may take its time; a signal does not wait for its end
  "$@" < /dev/null &
  step=$!
  wait "$step" && step='' || { local status=$?; step=''; return "$status"; }
}

# What our tests have made, now or in a run that was killed; nothing else has such names.
remove_own() {
  local own=(--quiet --filter 'name=^/?ask-test-')
  docker ps --all "${own[@]}" | xargs -r docker rm --force --volumes
  docker network ls "${own[@]}" | xargs -r docker network rm
  docker volume ls "${own[@]}" | xargs -r docker volume rm
} >/dev/null

stop_engine() {
  kill "$engine" 2>/dev/null || true
  for _ in {1..60}; do
    kill -0 "$engine" 2>/dev/null || break
    sleep 0.5
  done
  kill -KILL "$engine" 2>/dev/null || true
  wait "$engine" 2>/dev/null || true
  engine=''
}

clean_up() {
  local status=$?
  trap - EXIT
  trap '' INT TERM HUP
  [ -z "$step" ] || { kill -- "-$step" && wait "$step"; } 2>/dev/null || true
  if docker info >/dev/null 2>&1; then
    remove_own || true
  elif [ -n "$engine" ]; then
    say 'the engine has ended; its last words:' >&2
    tail -30 "$work/dockerd.log" >&2
  fi
  [ -z "$engine" ] || stop_engine
  [ -z "$policy" ] || rm -f /usr/sbin/policy-rc.d
  rm -rf --one-file-system "$work"
  exit "$status"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# -- an engine ------------------------------------------------------------------------------------

programs=(docker:docker.io debootstrap:debootstrap)
docker info >/dev/null 2>&1 || programs+=(dockerd:docker.io iptables:iptables)
missing=()
for program in "${programs[@]}"; do
  command -v "${program%%:*}" >/dev/null || missing+=("${program##*:}")
done
docker compose version >/dev/null 2>&1 || command -v docker-compose >/dev/null || missing+=(docker-compose)
if [ ${#missing[@]} -gt 0 ]; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    say "missing: ${missing[*]}. Install them, or run this as root on Debian." >&2
    exit 1
  fi
  say "installing ${missing[*]}"
  # Its own script would start an engine that nobody here ends.
  [ -e /usr/sbin/policy-rc.d ] || { policy=yes; printf '#!/bin/sh\nexit 101\n' > /usr/sbin/policy-rc.d; chmod +x /usr/sbin/policy-rc.d; }
  { run apt-get update -qq && DEBIAN_FRONTEND=noninteractive run apt-get install -y -qq -o DPkg::Lock::Timeout=120 --no-install-recommends "${missing[@]}"; } \
    > "$work/apt.log" 2>&1 || { tail -30 "$work/apt.log" >&2; exit 1; }
fi

start_engine() { # options; whether it answers
  # It ends with this script, even when that is killed.
  setpriv --pdeathsig TERM dockerd "$@" >> "$work/dockerd.log" 2>&1 < /dev/null 9>&- &
  engine=$!
  for _ in {1..120}; do
    sleep 0.5
    kill -0 "$engine" 2>/dev/null || break
    docker info >/dev/null 2>&1 && return
  done
  stop_engine
  return 1
}

if ! docker info >/dev/null 2>&1; then
  say 'starting an engine'
  if ! start_engine && command -v iptables-legacy >/dev/null; then
    say 'it does not start; once more with the legacy iptables'
    mkdir "$work/legacy"
    for name in iptables ip6tables; do ln -s "$(command -v $name-legacy)" "$work/legacy/$name"; done
    PATH=$work/legacy:$PATH start_engine || true
  fi
  # Ports are published by a process then; nothing here needs a way out through the engine.
  [ -n "$engine" ] || { say 'it does not start; once more without iptables'; start_engine --iptables=false --ip6tables=false; } || {
    tail -40 "$work/dockerd.log" >&2
    say 'the engine does not start here (it needs root and cgroups)' >&2
    exit 1
  }
fi
remove_own

# -- the proof ------------------------------------------------------------------------------------

run tests/deploy/kustomize.sh
say 'base images'
run tests/deploy/bases.sh
say 'building the images'
run make --no-print-directory images BUILD_FLAGS='--network host --force-rm' 2> "$work/build.log" || { tail -60 "$work/build.log" >&2; exit 1; }
say 'images, manifests and Compose'
run "$PYTHON" -m pytest -q --durations=10 -p no:cacheprovider tests/deploy
say 'the integration tests on images'
# Servers that `bases.sh` has made are the programs of the wheels, which these tests run on anyway: then a few modules prove
# that containers are started and reached. Those of a registry have a digest there, and have to prove everything, but for
# PostgreSQL, which is the same in both cases.
on_images=(--ignore tests/integration/test_documents_postgres.py tests/integration)
if [ "$(docker image inspect --format '{{len .RepoDigests}}' nats:2.15-alpine)" = 0 ]; then
  on_images=(tests/integration/test_{bus,bus_permits,edge_ledger,edge_state,nats_tls,nats_users,orchestrator,partitions,tools}.py)
fi
ASK_TEST_SERVERS=containers run "$PYTHON" -m pytest -q -n 2 --dist loadfile --durations=10 -p no:cacheprovider "${on_images[@]}"
say 'done'
