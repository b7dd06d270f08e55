-- +goose Up

-- Notes on the reports on pull requests: store.Note.
CREATE TABLE notes (
	repo   text COLLATE "C" NOT NULL,
	pr     bigint      NOT NULL,
	author text COLLATE "C" NOT NULL,
	rev    bigint      NOT NULL,
	body   text        NOT NULL, -- store.Note as JSON
	posted text        NOT NULL, -- store.Posting as JSON
	at     timestamptz NOT NULL,
	PRIMARY KEY (repo, pr, author)
);
