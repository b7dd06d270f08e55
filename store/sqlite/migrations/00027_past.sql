-- Under which name lies what is stored of a repository that is not enrolled any more: store.GiveName. Host '' is of
-- those that never were.
CREATE TABLE directory_past (
	host TEXT    NOT NULL,
	id   INTEGER NOT NULL,
	name TEXT    NOT NULL,
	PRIMARY KEY (host, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX directory_past_name ON directory_past (lower(name));

-- One row: how often a name went from one repository to another.
CREATE TABLE directory_handovers (
	n INTEGER NOT NULL
) STRICT;

INSERT INTO directory_handovers (n) VALUES (0);
