#!/bin/sh
# Copies the primary into an empty volume, and follows it from then on.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  PGPASSWORD="$(cat /run/secrets/replication)" pg_basebackup --pgdata="$PGDATA" --checkpoint=fast --write-recovery-conf \
    --dbname="host=primary port=5432 user=replicator application_name=standby"
  chmod 700 "$PGDATA"
fi
exec postgres -c config_file=/etc/postgresql/postgresql.conf -c hba_file=/etc/postgresql/pg_hba.conf "$@"
