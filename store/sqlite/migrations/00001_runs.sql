-- Times are microseconds since 1970 in UTC, 0 for none. Text that is unknown is ''.

CREATE TABLE repos (
	name        TEXT    NOT NULL PRIMARY KEY,
	last_serial INTEGER NOT NULL -- only increases, so no serial is used twice
) STRICT, WITHOUT ROWID;

CREATE TABLE sources (
	id   INTEGER PRIMARY KEY,
	repo TEXT    NOT NULL REFERENCES repos (name),
	name TEXT    NOT NULL,
	UNIQUE (repo, name)
) STRICT;

CREATE TABLE runs (
	id           INTEGER PRIMARY KEY AUTOINCREMENT, -- higher for newer runs
	attempt      TEXT    NOT NULL UNIQUE,
	repo         TEXT    NOT NULL,
	serial       INTEGER NOT NULL,
	source_id    INTEGER NOT NULL REFERENCES sources (id),
	source       TEXT    NOT NULL,
	ref          TEXT    NOT NULL GENERATED ALWAYS AS (source || ':' || serial) STORED,
	command      TEXT    NOT NULL,
	cwd          TEXT    NOT NULL,
	started_at   INTEGER NOT NULL,
	hostname     TEXT    NOT NULL,
	platform     TEXT    NOT NULL,
	arch         TEXT    NOT NULL,
	git_commit   TEXT    NOT NULL,
	git_branch   TEXT    NOT NULL,
	git_dirty    INTEGER NOT NULL,
	git_root     TEXT    NOT NULL,
	ci           TEXT,             -- JSON
	pr           INTEGER NOT NULL, -- 0 for none
	format       TEXT    NOT NULL,
	state        TEXT    NOT NULL,
	heartbeat_at INTEGER NOT NULL,
	finished_at  INTEGER NOT NULL DEFAULT 0,
	exit_code    INTEGER,
	signal       TEXT    NOT NULL DEFAULT '',
	reason       TEXT    NOT NULL DEFAULT '',
	lost         TEXT    NOT NULL DEFAULT '',
	errors       INTEGER NOT NULL DEFAULT 0,
	warnings     INTEGER NOT NULL DEFAULT 0,
	bytes        INTEGER NOT NULL DEFAULT 0,
	lines        INTEGER NOT NULL DEFAULT 0,
	UNIQUE (serial, repo)
) STRICT;

CREATE INDEX runs_repo    ON runs (repo);
CREATE INDEX runs_source  ON runs (source_id);
CREATE INDEX runs_ref     ON runs (ref);
CREATE INDEX runs_branch  ON runs (repo, git_branch);
CREATE INDEX runs_commit  ON runs (repo, git_commit);
CREATE INDEX runs_pr      ON runs (repo, pr) WHERE pr > 0;
CREATE INDEX runs_running ON runs (state) WHERE state = 'running';

-- Events are stored in the order of runs. So adding appends rows, and reading a run reads one range.
CREATE TABLE events (
	run_id       INTEGER NOT NULL REFERENCES runs (id),
	id           INTEGER NOT NULL,
	source_id    INTEGER NOT NULL,
	severity     TEXT    NOT NULL CHECK (severity IN ('error', 'warning', 'info')),
	file         TEXT    NOT NULL,
	line         INTEGER NOT NULL,
	col          INTEGER NOT NULL,
	message      TEXT    NOT NULL,
	tool         TEXT    NOT NULL,
	category     TEXT    NOT NULL,
	code         TEXT    NOT NULL,
	test         TEXT    NOT NULL,
	fingerprint  INTEGER NOT NULL, -- store.FingerprintHash
	pattern      INTEGER NOT NULL,
	log_line     INTEGER NOT NULL,
	log_line_end INTEGER NOT NULL,
	stream       TEXT    NOT NULL,
	PRIMARY KEY (run_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX events_fingerprint ON events (source_id, fingerprint);

CREATE TABLE batches (
	run_id   INTEGER NOT NULL REFERENCES runs (id),
	sequence INTEGER NOT NULL,
	PRIMARY KEY (run_id, sequence)
) STRICT, WITHOUT ROWID;

CREATE TABLE chunks (
	run_id     INTEGER NOT NULL REFERENCES runs (id),
	sequence   INTEGER NOT NULL,
	stream     TEXT    NOT NULL,
	first_line INTEGER NOT NULL,
	lines      INTEGER NOT NULL,
	start      INTEGER NOT NULL,
	bytes      INTEGER NOT NULL,
	stored     INTEGER NOT NULL,
	digest     TEXT    NOT NULL,
	key        TEXT    NOT NULL,
	PRIMARY KEY (run_id, sequence)
) STRICT, WITHOUT ROWID;

CREATE INDEX chunks_key ON chunks (key);

-- Removed runs, so that lookups of their references can say that they were removed.
CREATE TABLE pruned (
	repo    TEXT    NOT NULL,
	serial  INTEGER NOT NULL,
	source  TEXT    NOT NULL,
	attempt TEXT    NOT NULL UNIQUE,
	PRIMARY KEY (repo, serial)
) STRICT, WITHOUT ROWID;

CREATE TABLE garbage (
	key TEXT NOT NULL PRIMARY KEY
) STRICT, WITHOUT ROWID;
