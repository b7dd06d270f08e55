-- The callers that may write and read in a shared store: store.Directory.

CREATE TABLE directory_repos (
	host           TEXT    NOT NULL,
	id             INTEGER NOT NULL,
	name           TEXT    NOT NULL COLLATE NOCASE UNIQUE,
	default_branch TEXT    NOT NULL,
	public         INTEGER NOT NULL,
	enrolled_at    INTEGER NOT NULL,
	PRIMARY KEY (host, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE directory_tokens (
	id         TEXT    NOT NULL PRIMARY KEY,
	name       TEXT    NOT NULL,
	hash       BLOB    NOT NULL UNIQUE,
	scopes     TEXT    NOT NULL, -- JSON, as in the next two columns
	repos      TEXT    NOT NULL,
	owners     TEXT    NOT NULL,
	job        TEXT    NOT NULL,
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL,
	revoked_at INTEGER NOT NULL
) STRICT;

CREATE INDEX directory_tokens_people ON directory_tokens (created_at) WHERE job = '';
CREATE INDEX directory_tokens_jobs   ON directory_tokens (expires_at) WHERE job <> '';

CREATE TABLE directory_used (
	value TEXT    NOT NULL PRIMARY KEY,
	until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX directory_used_until ON directory_used (until);
