-- +goose Up

-- The names under which data of withdrawn repositories is stored: store.GiveName. Host '' stands for repositories that
-- were never enrolled.
CREATE TABLE directory_past (
	host text COLLATE "C" NOT NULL,
	id   bigint NOT NULL,
	name text COLLATE "C" NOT NULL,
	PRIMARY KEY (host, id)
);

CREATE UNIQUE INDEX directory_past_name ON directory_past (lower(name));

-- One row, which counts how often a name has passed from one repository to another.
CREATE TABLE directory_handovers (
	n bigint NOT NULL
);

INSERT INTO directory_handovers (n) VALUES (0);
