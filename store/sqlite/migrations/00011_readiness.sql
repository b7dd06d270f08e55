-- The readiness check writes this row to test whether the database is writable.
CREATE TABLE readiness (
	id INTEGER NOT NULL PRIMARY KEY,
	at INTEGER NOT NULL
) STRICT;
