#!/bin/sh
# Makes the roles and the empty database. No standby is there yet, so these commits do not wait for one.
set -eu
export PGOPTIONS="-c synchronous_commit=local"
psql --username=postgres --dbname=postgres --set=ON_ERROR_STOP=1 --quiet <<SQL
CREATE ROLE replicator LOGIN REPLICATION PASSWORD '$(cat /run/secrets/replication)';
CREATE ROLE bizauth LOGIN PASSWORD '$(cat /run/secrets/seller)';
CREATE DATABASE bizauth OWNER bizauth TEMPLATE template0 ENCODING 'UTF8';
SQL
