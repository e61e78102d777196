#!/bin/sh
# Copies the server that FOLLOWS names into an empty volume, and follows it from then on.
set -eu
if [ ! -s "$PGDATA/global/pg_control" ]; then
  mkdir -p "$PGDATA"
  # A copy that was broken off.
  find "$PGDATA" -mindepth 1 -delete
  PGPASSWORD="$(cat /run/secrets/replication)" pg_basebackup --pgdata="$PGDATA/copy" --checkpoint=fast --write-recovery-conf \
    --dbname="host=$FOLLOWS port=5432 user=replicator application_name=standby"
  # `global` has pg_control and comes last: who finds it has a whole copy.
  find "$PGDATA/copy" -mindepth 1 -maxdepth 1 ! -name global -exec mv -t "$PGDATA" {} +
  mv "$PGDATA/copy/global" "$PGDATA"
fi
rm -rf "$PGDATA/copy"
chmod 700 "$PGDATA"
exec postgres -c config_file=/etc/postgresql/postgresql.conf -c hba_file=/etc/postgresql/pg_hba.conf "$@"
