#!/bin/sh
# Creates the database of POSTGRES_USER, POSTGRES_PASSWORD and POSTGRES_DB, and serves it.
set -eu
data=/var/lib/postgresql/data
if [ ! -s $data/PG_VERSION ]; then
	echo "$POSTGRES_PASSWORD" >/tmp/password
	initdb --encoding UTF8 --locale C.UTF-8 --pgdata $data --username "$POSTGRES_USER" --pwfile /tmp/password \
		--auth-host scram-sha-256 --auth-local trust >/dev/null
	rm /tmp/password
	echo "host all all all scram-sha-256" >>$data/pg_hba.conf
	pg_ctl --pgdata $data --options "-c listen_addresses= -c unix_socket_directories=/tmp" --wait --silent start
	[ "$POSTGRES_DB" = postgres ] || createdb --host /tmp --username "$POSTGRES_USER" "$POSTGRES_DB"
	pg_ctl --pgdata $data --wait --silent stop
fi
exec postgres -D $data -c listen_addresses='*' -c unix_socket_directories=/tmp
