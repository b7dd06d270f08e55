-- The size of a run's objects, the number of its events, and the size of its texts and small rows.
ALTER TABLE runs ADD COLUMN stored INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN events INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN text_bytes INTEGER NOT NULL DEFAULT 0;

UPDATE runs
SET stored = (SELECT coalesce(sum(c.stored), 0) FROM chunks c WHERE c.run_id = runs.id),
    events = (SELECT count(*) FROM events e WHERE e.run_id = runs.id);

-- The usage of repositories and their owners: store.Usage. The repository / stands for all repositories of the owner.
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

-- The size of each run in bytes. The triggers below compute it in the same way. The numbers are store.RunRow and
-- store.EventRow.
CREATE VIEW run_sizes AS
SELECT id, repo, lower(substr(repo, 1, instr(repo || '/', '/') - 1)) AS owner, events,
       stored + text_bytes + 128 * events + 1024 AS bytes
FROM runs;

INSERT INTO usage
SELECT r.owner, n.repo, 0, 0, 0, count(*), sum(r.events), sum(r.bytes)
FROM run_sizes r
JOIN (SELECT id, '/' AS repo FROM runs UNION ALL SELECT id, repo FROM runs) n ON n.id = r.id
GROUP BY r.owner, n.repo;

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
