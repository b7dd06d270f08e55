CREATE TABLE goose_db_version (
		id         INTEGER PRIMARY KEY AUTOINCREMENT,
		version_id INTEGER NOT NULL,
		is_applied INTEGER NOT NULL,
		tstamp     TIMESTAMP DEFAULT (datetime('now'))
	);
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
	lines        INTEGER NOT NULL DEFAULT 0, leg TEXT NOT NULL DEFAULT '', opened_at INTEGER NOT NULL DEFAULT 0, live_from INTEGER NOT NULL DEFAULT 0, ci_run_id TEXT GENERATED ALWAYS AS (coalesce(ci ->> 'run_id', '')) VIRTUAL, ci_run_attempt INTEGER GENERATED ALWAYS AS (coalesce(ci ->> 'run_attempt', 0)) VIRTUAL, ci_check_run_id TEXT GENERATED ALWAYS AS (coalesce(ci ->> 'check_run_id', '')) VIRTUAL, shape TEXT NOT NULL DEFAULT '', step TEXT NOT NULL DEFAULT '', stored INTEGER NOT NULL DEFAULT 0, events INTEGER NOT NULL DEFAULT 0, text_bytes INTEGER NOT NULL DEFAULT 0, output_at INTEGER NOT NULL DEFAULT 0, undated INTEGER NOT NULL DEFAULT 0, files TEXT NOT NULL DEFAULT '',
	UNIQUE (serial, repo)
) STRICT;
CREATE INDEX runs_repo    ON runs (repo);
CREATE INDEX runs_source  ON runs (source_id);
CREATE INDEX runs_ref     ON runs (ref);
CREATE INDEX runs_branch  ON runs (repo, git_branch);
CREATE INDEX runs_commit  ON runs (repo, git_commit);
CREATE INDEX runs_pr      ON runs (repo, pr) WHERE pr > 0;
CREATE INDEX runs_running ON runs (state) WHERE state = 'running';
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
CREATE INDEX runs_line  ON runs (source_id, git_branch, leg);
CREATE INDEX runs_point ON runs (source_id, leg, git_commit);
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
CREATE INDEX runs_running_repo ON runs (repo) WHERE state = 'running';
CREATE INDEX runs_job ON runs (ci_run_id, repo, ci_check_run_id) WHERE ci_run_id > '';
CREATE INDEX runs_step        ON runs (source_id, step);
CREATE INDEX runs_step_branch ON runs (source_id, git_branch, step);
CREATE TABLE usage (
	owner      TEXT    NOT NULL, -- in lower case
	repo       TEXT    NOT NULL,
	day        INTEGER NOT NULL, -- day of the next two columns, since 1970
	day_runs   INTEGER NOT NULL,
	day_events INTEGER NOT NULL,
	runs       INTEGER NOT NULL,
	events     INTEGER NOT NULL,
	bytes      INTEGER NOT NULL,
	PRIMARY KEY (owner, repo)
) STRICT, WITHOUT ROWID;
CREATE VIEW run_sizes AS
SELECT id, repo, lower(substr(repo, 1, instr(repo || '/', '/') - 1)) AS owner, events,
       stored + text_bytes + 128 * events + 1024 AS bytes
FROM runs;
CREATE TRIGGER usage_started AFTER INSERT ON runs BEGIN
	INSERT INTO usage (owner, repo, day, day_runs, day_events, runs, events, bytes)
	SELECT r.owner, n.repo, unixepoch() / 86400, 1, r.events, 1, r.events, r.bytes
	FROM run_sizes r, (SELECT '/' AS repo UNION ALL SELECT NEW.repo) n
	WHERE r.id = NEW.id
	ON CONFLICT (owner, repo) DO UPDATE
	SET day_runs   = iif(day < excluded.day, 0, day_runs) + excluded.day_runs,
	    day_events = iif(day < excluded.day, 0, day_events) + excluded.day_events,
	    day        = max(day, excluded.day),
	    runs       = runs + excluded.runs,
	    events     = events + excluded.events,
	    bytes      = bytes + excluded.bytes;
END;
CREATE TRIGGER usage_changed AFTER UPDATE OF stored, events, text_bytes ON runs BEGIN
	UPDATE usage
	SET day_runs   = iif(day < unixepoch() / 86400, 0, day_runs),
	    day_events = iif(day < unixepoch() / 86400, 0, day_events) + max(0, NEW.events - OLD.events),
	    day        = max(day, unixepoch() / 86400),
	    events     = events + NEW.events - OLD.events,
	    bytes      = bytes + NEW.stored + NEW.text_bytes + 128 * NEW.events
	                       - OLD.stored - OLD.text_bytes - 128 * OLD.events
	WHERE owner = lower(substr(NEW.repo, 1, instr(NEW.repo || '/', '/') - 1)) AND repo IN ('/', NEW.repo);
END;
CREATE TRIGGER usage_removed BEFORE DELETE ON runs BEGIN
	UPDATE usage
	SET runs   = runs - 1,
	    events = events - OLD.events,
	    bytes  = bytes - OLD.stored - OLD.text_bytes - 128 * OLD.events - 1024
	WHERE owner = lower(substr(OLD.repo, 1, instr(OLD.repo || '/', '/') - 1)) AND repo IN ('/', OLD.repo);
END;
CREATE TABLE readiness (
	id INTEGER NOT NULL PRIMARY KEY,
	at INTEGER NOT NULL
) STRICT;
CREATE TABLE snapshots (
	id          INTEGER PRIMARY KEY AUTOINCREMENT,
	repo        TEXT    NOT NULL,
	commit_hash TEXT    NOT NULL,
	kind        TEXT    NOT NULL,
	fork        INTEGER NOT NULL,
	manifest    TEXT    NOT NULL,
	files       INTEGER NOT NULL,
	bytes       INTEGER NOT NULL,
	branch      TEXT    NOT NULL,
	tag         TEXT    NOT NULL,
	pr          INTEGER NOT NULL,
	verified    INTEGER NOT NULL,
	created_at  INTEGER NOT NULL,
	UNIQUE (repo, commit_hash, kind, fork)
) STRICT;
CREATE INDEX snapshots_manifest ON snapshots (repo, manifest);
CREATE TABLE fact_objects (
	repo     TEXT    NOT NULL,
	digest   TEXT    NOT NULL,
	size     INTEGER NOT NULL,
	key      TEXT    NOT NULL UNIQUE,
	used     INTEGER NOT NULL DEFAULT 0,
	asked_at INTEGER NOT NULL,
	PRIMARY KEY (repo, digest)
) STRICT, WITHOUT ROWID;
CREATE INDEX fact_objects_unused ON fact_objects (asked_at, repo) WHERE used = 0;
CREATE TABLE commits (
	repo   TEXT    NOT NULL,
	hash   TEXT    NOT NULL,
	parent TEXT    NOT NULL,
	trust  INTEGER NOT NULL,
	PRIMARY KEY (repo, hash)
) STRICT, WITHOUT ROWID;
CREATE TABLE commit_names (
	repo        TEXT    NOT NULL,
	name        TEXT    NOT NULL,
	commit_hash TEXT    NOT NULL,
	trust       INTEGER NOT NULL,
	PRIMARY KEY (repo, name)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER usage_snapshot_added AFTER INSERT ON snapshots BEGIN
	INSERT INTO usage (owner, repo, day, day_runs, day_events, runs, events, bytes)
	SELECT lower(substr(NEW.repo, 1, instr(NEW.repo || '/', '/') - 1)), n.repo, 0, 0, 0, 0, 0, 1024
	FROM (SELECT '/' AS repo UNION ALL SELECT NEW.repo) n
	WHERE true
	ON CONFLICT (owner, repo) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER usage_object_added AFTER INSERT ON fact_objects BEGIN
	INSERT INTO usage (owner, repo, day, day_runs, day_events, runs, events, bytes)
	SELECT lower(substr(NEW.repo, 1, instr(NEW.repo || '/', '/') - 1)), n.repo, 0, 0, 0, 0, 0, NEW.size + 2048
	FROM (SELECT '/' AS repo UNION ALL SELECT NEW.repo) n
	WHERE true
	ON CONFLICT (owner, repo) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER usage_snapshot_removed BEFORE DELETE ON snapshots BEGIN
	UPDATE usage SET bytes = bytes - 1024
	WHERE owner = lower(substr(OLD.repo, 1, instr(OLD.repo || '/', '/') - 1)) AND repo IN ('/', OLD.repo);
END;
CREATE TRIGGER usage_object_removed BEFORE DELETE ON fact_objects BEGIN
	UPDATE usage SET bytes = bytes - OLD.size - 2048
	WHERE owner = lower(substr(OLD.repo, 1, instr(OLD.repo || '/', '/') - 1)) AND repo IN ('/', OLD.repo);
END;
CREATE TABLE doc_sources (
	id            INTEGER PRIMARY KEY AUTOINCREMENT,
	repo          TEXT    NOT NULL,
	alias         TEXT    NOT NULL,
	digest        TEXT    NOT NULL,
	key           TEXT    NOT NULL UNIQUE,
	size          INTEGER NOT NULL,
	lines         INTEGER NOT NULL,
	headings      INTEGER NOT NULL,
	title         TEXT    NOT NULL,
	url           TEXT    NOT NULL,
	final_url     TEXT    NOT NULL,
	etag          TEXT    NOT NULL,
	last_modified TEXT    NOT NULL,
	took          INTEGER NOT NULL, -- nanoseconds
	fetched_at    INTEGER NOT NULL,
	checked_at    INTEGER NOT NULL,
	UNIQUE (repo, alias, digest)
) STRICT;
CREATE VIEW fact_sizes AS
SELECT repo, lower(substr(repo, 1, instr(repo || '/', '/') - 1)) AS owner, 1024 AS bytes FROM snapshots
UNION ALL
SELECT repo, lower(substr(repo, 1, instr(repo || '/', '/') - 1)) AS owner, size + 2048 AS bytes FROM fact_objects
UNION ALL
SELECT repo, lower(substr(repo, 1, instr(repo || '/', '/') - 1)) AS owner, size + 2048 AS bytes FROM doc_sources;
CREATE TRIGGER usage_source_added AFTER INSERT ON doc_sources BEGIN
	INSERT INTO usage (owner, repo, day, day_runs, day_events, runs, events, bytes)
	SELECT lower(substr(NEW.repo, 1, instr(NEW.repo || '/', '/') - 1)), n.repo, 0, 0, 0, 0, 0, NEW.size + 2048
	FROM (SELECT '/' AS repo UNION ALL SELECT NEW.repo) n
	WHERE true
	ON CONFLICT (owner, repo) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER usage_source_removed BEFORE DELETE ON doc_sources BEGIN
	UPDATE usage SET bytes = bytes - OLD.size - 2048
	WHERE owner = lower(substr(OLD.repo, 1, instr(OLD.repo || '/', '/') - 1)) AND repo IN ('/', OLD.repo);
END;
CREATE TABLE realm_states (
	realm   TEXT PRIMARY KEY,
	heads   TEXT    NOT NULL, -- JSON: commits by repository
	version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE realm_news (
	repo TEXT PRIMARY KEY,
	n    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE notifications (
	id         TEXT PRIMARY KEY,
	key        TEXT    NOT NULL UNIQUE,
	realm      TEXT    NOT NULL,
	subject    TEXT    NOT NULL, -- domain/contract
	body       TEXT    NOT NULL, -- store.Notification as JSON
	supersedes TEXT    NOT NULL,
	created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX notifications_by_subject ON notifications (realm, subject, created_at);
CREATE INDEX notifications_by_time ON notifications (created_at);
CREATE TABLE notification_recipients (
	repo         TEXT NOT NULL,
	notification TEXT NOT NULL,
	PRIMARY KEY (repo, notification)
) STRICT, WITHOUT ROWID;
CREATE INDEX notification_recipients_by_notification ON notification_recipients (notification);
CREATE TABLE notification_reads (
	notification TEXT    NOT NULL,
	repo         TEXT    NOT NULL,
	reader       TEXT    NOT NULL,
	seen_at      INTEGER NOT NULL, -- 0 before that
	expired_at   INTEGER NOT NULL,
	PRIMARY KEY (notification, repo, reader)
) STRICT, WITHOUT ROWID;
CREATE TABLE attestations (
	repo        TEXT    NOT NULL,
	node        TEXT    NOT NULL,
	doc         TEXT    NOT NULL,
	code        TEXT    NOT NULL,
	doc_digest  TEXT    NOT NULL,
	code_digest TEXT    NOT NULL,
	by_whom     TEXT    NOT NULL,
	at          INTEGER NOT NULL,
	PRIMARY KEY (repo, node, doc, code, doc_digest, code_digest)
) STRICT, WITHOUT ROWID;
CREATE TABLE realm_sessions (
	repo       TEXT    NOT NULL,
	reader     TEXT    NOT NULL,
	id         TEXT    NOT NULL,
	body       TEXT    NOT NULL, -- store.Session as JSON
	started_at INTEGER NOT NULL,
	active_at  INTEGER NOT NULL,
	PRIMARY KEY (repo, reader)
) STRICT, WITHOUT ROWID;
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
, owner TEXT AS (lower(substr(repo, 1, instr(repo || '/', '/') - 1)))) STRICT;
CREATE INDEX queue_due ON queue (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX queue_ended ON queue (state, ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX queue_lease ON queue (lease) WHERE lease <> '';
CREATE TABLE tests (
	id   INTEGER PRIMARY KEY AUTOINCREMENT, -- never used twice, because pages contain it
	repo TEXT    NOT NULL,
	key  INTEGER NOT NULL, -- store.Test.Key
	name TEXT    NOT NULL,
	file TEXT    NOT NULL,
	UNIQUE (repo, key)
) STRICT;
CREATE TABLE test_runs (
	run_id  INTEGER PRIMARY KEY,
	repo    TEXT    NOT NULL,
	serial  INTEGER NOT NULL,
	segment INTEGER NOT NULL DEFAULT 0, -- 0 for none yet
	slot    INTEGER NOT NULL DEFAULT 0, -- slot in the segment
	tests   INTEGER NOT NULL, -- this and the next columns: store.TestSum
	failed  INTEGER NOT NULL,
	skipped INTEGER NOT NULL,
	infra   INTEGER NOT NULL,
	retried INTEGER NOT NULL,
	flaky   INTEGER NOT NULL,
	block   BLOB    NOT NULL
) STRICT;
CREATE INDEX test_runs_loose ON test_runs (repo) WHERE segment = 0;
CREATE TABLE test_segments (
	id      INTEGER PRIMARY KEY AUTOINCREMENT,
	repo    TEXT    NOT NULL,
	serials BLOB    NOT NULL, -- serials of its runs, by slot
	whole   INTEGER NOT NULL, -- a bit for each slot
	gone    INTEGER NOT NULL DEFAULT 0 -- a bit for each slot of a removed run
) STRICT;
CREATE TABLE test_pages (
	page    INTEGER NOT NULL,
	segment INTEGER NOT NULL,
	data    BLOB    NOT NULL,
	PRIMARY KEY (page, segment)
) STRICT;
CREATE INDEX test_pages_segment ON test_pages (segment);
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
CREATE TABLE directory_sign_ins (
	hash       BLOB    NOT NULL PRIMARY KEY,
	person     TEXT    NOT NULL,
	sealed     BLOB    NOT NULL,
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX directory_sign_ins_expires ON directory_sign_ins (expires_at);
CREATE TABLE directory_past (
	host TEXT    NOT NULL,
	id   INTEGER NOT NULL,
	name TEXT    NOT NULL,
	PRIMARY KEY (host, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX directory_past_name ON directory_past (lower(name));
CREATE TABLE directory_handovers (
	n INTEGER NOT NULL
) STRICT;
CREATE INDEX queue_owner ON queue (owner, due_at) WHERE due_at IS NOT NULL;
CREATE VIEW work_sizes AS
SELECT id, state, ended_at, lower(substr(repo, 1, instr(repo || '/', '/') - 1)) AS owner,
       octet_length(key) + octet_length(body) + octet_length(error) + 512 AS bytes
FROM queue;
CREATE TRIGGER usage_work_added AFTER INSERT ON queue BEGIN
	INSERT INTO usage (owner, repo, day, day_runs, day_events, runs, events, bytes)
	SELECT w.owner, '/', 0, 0, 0, 0, 0, w.bytes
	FROM work_sizes w
	WHERE w.id = NEW.id
	ON CONFLICT (owner, repo) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER usage_work_changed AFTER UPDATE OF body, error ON queue
WHEN octet_length(OLD.body) + octet_length(OLD.error) <> octet_length(NEW.body) + octet_length(NEW.error) BEGIN
	UPDATE usage
	SET bytes = bytes + octet_length(NEW.body) + octet_length(NEW.error)
	                  - octet_length(OLD.body) - octet_length(OLD.error)
	WHERE owner = lower(substr(NEW.repo, 1, instr(NEW.repo || '/', '/') - 1)) AND repo = '/';
END;
CREATE TRIGGER usage_work_removed BEFORE DELETE ON queue BEGIN
	UPDATE usage
	SET bytes = bytes - octet_length(OLD.key) - octet_length(OLD.body) - octet_length(OLD.error) - 512
	WHERE owner = lower(substr(OLD.repo, 1, instr(OLD.repo || '/', '/') - 1)) AND repo = '/';
END;
CREATE TABLE test_packings (
	segment INTEGER PRIMARY KEY,
	state   TEXT    NOT NULL
) STRICT;
CREATE TRIGGER test_runs_removed AFTER DELETE ON runs BEGIN
	UPDATE test_segments
	SET gone = gone | (SELECT 1 << slot FROM test_runs WHERE run_id = OLD.id)
	WHERE id = (SELECT segment FROM test_runs WHERE run_id = OLD.id AND segment > 0);
	INSERT OR IGNORE INTO test_packings (segment, state)
	SELECT s.id, '{}'
	FROM test_runs t
	JOIN test_segments s ON s.id = t.segment
	WHERE t.run_id = OLD.id AND s.gone = s.whole;
	DELETE FROM test_segments
	WHERE gone = whole AND id = (SELECT segment FROM test_runs WHERE run_id = OLD.id AND segment > 0);
	DELETE FROM test_runs WHERE run_id = OLD.id;
END;
CREATE TABLE realm_news_last (
	n INTEGER NOT NULL
) STRICT;
CREATE TRIGGER realm_news_added AFTER INSERT ON snapshots
WHEN NEW.kind = 'contracts' AND NEW.fork = 0 AND NEW.branch <> ''
BEGIN
	UPDATE realm_news_last SET n = n + 1;
	INSERT INTO realm_news (repo, n) SELECT NEW.repo, n FROM realm_news_last WHERE true
	ON CONFLICT (repo) DO UPDATE SET n = excluded.n;
END;
CREATE TRIGGER realm_news_renamed AFTER UPDATE OF branch ON snapshots
WHEN NEW.kind = 'contracts' AND NEW.fork = 0 AND NEW.branch <> OLD.branch
BEGIN
	UPDATE realm_news_last SET n = n + 1;
	INSERT INTO realm_news (repo, n) SELECT NEW.repo, n FROM realm_news_last WHERE true
	ON CONFLICT (repo) DO UPDATE SET n = excluded.n;
END;
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (1, 1, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (2, 2, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (3, 3, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (4, 4, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (5, 5, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (6, 6, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (7, 7, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (8, 8, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (9, 9, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (10, 10, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (11, 11, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (12, 12, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (13, 13, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (14, 14, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (15, 15, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (16, 16, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (17, 17, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (18, 20, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (19, 21, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (20, 22, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (21, 23, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (22, 24, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (23, 25, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (24, 26, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (25, 27, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (26, 28, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (27, 29, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (28, 30, 1);
INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (29, 31, 1);
INSERT INTO directory_handovers (n) VALUES (0);
INSERT INTO realm_news_last (n) VALUES (0);
