-- Readiness writes the row, to see whether the database can be written.
CREATE TABLE readiness (
	id INTEGER NOT NULL PRIMARY KEY,
	at INTEGER NOT NULL
) STRICT;
