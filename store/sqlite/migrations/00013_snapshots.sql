-- +goose Up

-- Facts of commits: store.Snapshot. A commit has one snapshot of each kind, and may have another one from a fork.
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

-- The content of repositories: store.Object. For a manifest, used is true if a snapshot has it. For a file, used is
-- true if a snapshot has had it at any time.
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

-- Commits with their first parents, or '' if unknown, and the store.Snapshot.Trust of the sender.
CREATE TABLE commits (
	repo   TEXT    NOT NULL,
	hash   TEXT    NOT NULL,
	parent TEXT    NOT NULL,
	trust  INTEGER NOT NULL,
	PRIMARY KEY (repo, hash)
) STRICT, WITHOUT ROWID;

-- The commits of branches, tags and pull requests, by store.CommitName.Key.
CREATE TABLE commit_names (
	repo        TEXT    NOT NULL,
	name        TEXT    NOT NULL,
	commit_hash TEXT    NOT NULL,
	trust       INTEGER NOT NULL,
	PRIMARY KEY (repo, name)
) STRICT, WITHOUT ROWID;

-- The size of facts in bytes. The numbers are store.SnapshotRow and store.ObjectRow.
CREATE VIEW fact_sizes AS
SELECT repo, lower(substr(repo, 1, instr(repo || '/', '/') - 1)) AS owner, 1024 AS bytes FROM snapshots
UNION ALL
SELECT repo, lower(substr(repo, 1, instr(repo || '/', '/') - 1)) AS owner, size + 2048 AS bytes FROM fact_objects;

-- +goose StatementBegin
CREATE TRIGGER usage_snapshot_added AFTER INSERT ON snapshots BEGIN
	INSERT INTO usage (owner, repo, day, day_runs, day_events, runs, events, bytes)
	SELECT lower(substr(NEW.repo, 1, instr(NEW.repo || '/', '/') - 1)), n.repo, 0, 0, 0, 0, 0, 1024
	FROM (SELECT '/' AS repo UNION ALL SELECT NEW.repo) n
	WHERE true
	ON CONFLICT (owner, repo) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER usage_object_added AFTER INSERT ON fact_objects BEGIN
	INSERT INTO usage (owner, repo, day, day_runs, day_events, runs, events, bytes)
	SELECT lower(substr(NEW.repo, 1, instr(NEW.repo || '/', '/') - 1)), n.repo, 0, 0, 0, 0, 0, NEW.size + 2048
	FROM (SELECT '/' AS repo UNION ALL SELECT NEW.repo) n
	WHERE true
	ON CONFLICT (owner, repo) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER usage_snapshot_removed BEFORE DELETE ON snapshots BEGIN
	UPDATE usage SET bytes = bytes - 1024
	WHERE owner = lower(substr(OLD.repo, 1, instr(OLD.repo || '/', '/') - 1)) AND repo IN ('/', OLD.repo);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER usage_object_removed BEFORE DELETE ON fact_objects BEGIN
	UPDATE usage SET bytes = bytes - OLD.size - 2048
	WHERE owner = lower(substr(OLD.repo, 1, instr(OLD.repo || '/', '/') - 1)) AND repo IN ('/', OLD.repo);
END;
-- +goose StatementEnd
