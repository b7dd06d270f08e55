-- The results of tests: store.Reader. Package testpack packs them.
CREATE TABLE tests (
	id   INTEGER PRIMARY KEY AUTOINCREMENT, -- never used twice, because pages contain it
	repo TEXT    NOT NULL,
	key  INTEGER NOT NULL, -- store.Test.Key
	name TEXT    NOT NULL,
	file TEXT    NOT NULL,
	UNIQUE (repo, key)
) STRICT;

-- A run with results of tests. There is no foreign key, because an older program removes runs without their results.
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

CREATE TRIGGER test_runs_removed AFTER DELETE ON runs BEGIN
	UPDATE test_segments
	SET gone = gone | (SELECT 1 << slot FROM test_runs WHERE run_id = OLD.id)
	WHERE id = (SELECT segment FROM test_runs WHERE run_id = OLD.id AND segment > 0);
	DELETE FROM test_pages
	WHERE segment = (
		SELECT s.id FROM test_runs t JOIN test_segments s ON s.id = t.segment
		WHERE t.run_id = OLD.id AND s.gone = s.whole);
	DELETE FROM test_segments
	WHERE gone = whole AND id = (SELECT segment FROM test_runs WHERE run_id = OLD.id AND segment > 0);
	DELETE FROM test_runs WHERE run_id = OLD.id;
END;
