-- External documentation: store.SourceVersion. The newest version of a source has the highest id.
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

DROP VIEW fact_sizes;
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
