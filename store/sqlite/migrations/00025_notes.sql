-- Notes on the reports on pull requests: store.Note.
CREATE TABLE notes (
	repo   TEXT    NOT NULL,
	pr     INTEGER NOT NULL,
	author TEXT    NOT NULL,
	rev    INTEGER NOT NULL,
	body   TEXT    NOT NULL, -- store.Note as JSON
	posted TEXT    NOT NULL, -- store.Posting as JSON
	at     INTEGER NOT NULL,
	PRIMARY KEY (repo, pr, author)
) STRICT, WITHOUT ROWID;
