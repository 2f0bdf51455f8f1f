#!/bin/sh
# Makes what the compose file's secrets name, once: secrets that are there are left as they are.
#   docker compose build && ./make-secrets.sh
set -eu
cd "$(dirname "$0")"
# Containers read them as users of their own, hence the files' modes; on this machine the directory keeps others out.
mkdir -p secrets
chmod 700 secrets

put() {
  if [ ! -s "secrets/$1" ]; then
    cat >"secrets/$1.new"
    chmod 444 "secrets/$1.new"
    mv "secrets/$1.new" "secrets/$1"
    echo "made secrets/$1"
  fi
}
password() {
  od -An -tx1 -N24 /dev/urandom | tr -d ' \n'
}
head -c 32 /dev/urandom | base64 | put secret_key
password | put postgres_password
password | put clickhouse_password
password | put grafana_password
printf 'postgres://signals:%s@postgres:5432/signals\n' "$(cat secrets/postgres_password)" | put database_url
if [ ! -s secrets/bootstrap_api_key ]; then
  key=$(docker run --rm --network none --entrypoint node signal-optimization-service deploy/container/new-api-key.ts)
  printf '%s\n' "$key" | put bootstrap_api_key
fi
