-- The names under which data of withdrawn repositories is stored: store.GiveName. Host '' stands for repositories that
-- were never enrolled.
CREATE TABLE directory_past (
	host TEXT    NOT NULL,
	id   INTEGER NOT NULL,
	name TEXT    NOT NULL,
	PRIMARY KEY (host, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX directory_past_name ON directory_past (lower(name));

-- One row, which counts how often a name has passed from one repository to another.
CREATE TABLE directory_handovers (
	n INTEGER NOT NULL
) STRICT;

INSERT INTO directory_handovers (n) VALUES (0);
