-- Sessions of work on repositories of a realm: store.Session.
CREATE TABLE realm_sessions (
	repo       TEXT    NOT NULL,
	reader     TEXT    NOT NULL,
	id         TEXT    NOT NULL,
	body       TEXT    NOT NULL, -- store.Session as JSON
	started_at INTEGER NOT NULL,
	active_at  INTEGER NOT NULL,
	PRIMARY KEY (repo, reader)
) STRICT, WITHOUT ROWID;
