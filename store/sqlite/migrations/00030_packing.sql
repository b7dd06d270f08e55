-- A segment that is being packed, see testpack.Packing. If the segment is gone, its pages are to be removed.
CREATE TABLE test_packings (
	segment INTEGER PRIMARY KEY,
	state   TEXT    NOT NULL
) STRICT;

-- Pages are many, so they are removed later, in short transactions.
DROP TRIGGER test_runs_removed;
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
