-- +goose Up

-- Under which name lies what is stored of a repository that is not enrolled any more: store.GiveName. Host '' is of
-- those that never were.
CREATE TABLE directory_past (
	host text COLLATE "C" NOT NULL,
	id   bigint NOT NULL,
	name text COLLATE "C" NOT NULL,
	PRIMARY KEY (host, id)
);

CREATE UNIQUE INDEX directory_past_name ON directory_past (lower(name));

-- One row: how often a name went from one repository to another.
CREATE TABLE directory_handovers (
	n bigint NOT NULL
);

INSERT INTO directory_handovers (n) VALUES (0);
