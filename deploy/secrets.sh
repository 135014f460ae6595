#!/bin/sh
# Prints fresh passwords as an environment file: deploy/secrets.sh > deploy/.env
# Letters and digits, a letter first: nats-server reads them as part of its configuration.
set -eu
# The caller has made the file, readable for all.
[ ! -f /dev/stdout ] || chmod 600 /dev/stdout
secret() { printf '%s=s%s\n' "$1" "$(head -c 24 /dev/urandom | od -An -vtx1 | tr -d ' \n')"; }
dir=$(dirname "$0")
sed -n 's/.*password: \$\(NATS_PASSWORD_[A-Z_]*\).*/\1/p' "$dir/nats/permissions.conf" "$dir/nats/cluster.conf" |
while read -r name; do secret "$name"; done
secret REDIS_PASSWORD
secret EDGE_SECRET
echo COMPOSE_PROJECT_NAME=ask
