-- Jobs of the queue: store.Work. due_at is when the job may start, or when the lease of its worker ends. It is NULL
-- after the job has ended. calls counts how often the job was put.
CREATE TABLE queue (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	key        TEXT    NOT NULL UNIQUE,
	kind       TEXT    NOT NULL,
	repo       TEXT    NOT NULL,
	body       BLOB    NOT NULL,
	state      TEXT    NOT NULL,
	tries      INTEGER NOT NULL,
	error      TEXT    NOT NULL,
	lease      TEXT    NOT NULL,
	calls      INTEGER NOT NULL,
	due_at     INTEGER,
	created_at INTEGER NOT NULL,
	ended_at   INTEGER
) STRICT;

CREATE INDEX queue_due ON queue (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX queue_ended ON queue (state, ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX queue_lease ON queue (lease) WHERE lease <> '';
