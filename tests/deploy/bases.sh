#!/bin/sh
# Makes the base images that the Dockerfile and Compose name, where no registry can be reached: the Debian that
# they are made of by debootstrap, and the programs from Python wheels. Existing images are left alone.
set -eu
cd "$(dirname "$0")/../.."
mirror=$(sh tests/deploy/mirror.sh)
python_image=python:3.11-slim-bookworm

have() { docker image inspect "$1" >/dev/null 2>&1; }

if ! have "$python_image"; then
  echo "Making $python_image with debootstrap"
  root=$(mktemp -d)
  trap 'rm -rf "$root" "$root.log"' EXIT
  debootstrap --variant=minbase --include=python3,python3-venv,ca-certificates bookworm "$root" "$mirror" > "$root.log" 2>&1 ||
    { tail -5 "$root.log" >&2; exit 1; }
  # As in the original: Python in /usr/local, and nothing that was only needed to get here.
  for name in python3.11 python3 python; do ln -sf /usr/bin/python3.11 "$root/usr/local/bin/$name"; done
  rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/* "$root"/usr/share/doc "$root"/usr/share/locale
  # Registries may be reached through a proxy with an authority of its own.
  cat /etc/ssl/certs/ca-certificates.crt > "$root/etc/ssl/certs/ca-certificates.crt"
  bundle=/etc/ssl/certs/ca-certificates.crt
  tar -C "$root" -c . | docker import --change "ENV PIP_CERT=$bundle SSL_CERT_FILE=$bundle NODE_EXTRA_CA_CERTS=$bundle" \
    --change 'CMD ["python3"]' - "$python_image" >/dev/null
fi

build() { # target, name
  have "$2" && return
  echo "Making $2 from wheels"
  tar -c -C tests/deploy/bases Dockerfile valkey-cli -C ../../.. requirements/run.txt |
    docker build --quiet --force-rm --network host --target "$1" --tag "$2" - 2>&1 >/dev/null | grep -v -i -e buildkit -e buildx -e legacy -e '^ *$' -e environment-variable >&2 || true
  have "$2"
}
build node node:22-bookworm-slim
build nats nats:2.15-alpine
build valkey valkey/valkey:9.1-alpine
