-- +goose Up

-- The results of tests: store.Reader. Package testpack packs them.
CREATE TABLE tests (
	id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- never used twice, because pages contain it
	key  bigint NOT NULL, -- store.Test.Key
	repo text COLLATE "C" NOT NULL,
	name text COLLATE "C" NOT NULL,
	file text COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX tests_key ON tests (repo, key);

-- A run with results of tests. There is no foreign key, because an older program removes runs without their results.
CREATE TABLE test_runs (
	run_id  bigint   NOT NULL PRIMARY KEY,
	segment bigint   NOT NULL DEFAULT 0, -- 0 for none yet
	serial  integer  NOT NULL,
	tests   integer  NOT NULL, -- this and the next columns: store.TestSum
	failed  integer  NOT NULL,
	skipped integer  NOT NULL,
	infra   integer  NOT NULL,
	retried integer  NOT NULL,
	flaky   integer  NOT NULL,
	slot    smallint NOT NULL DEFAULT 0, -- slot in the segment
	repo    text COLLATE "C" NOT NULL,
	block   bytea    NOT NULL
);

CREATE INDEX test_runs_loose ON test_runs (repo) WHERE segment = 0;

CREATE TABLE test_segments (
	id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	whole   bigint NOT NULL, -- a bit for each slot
	gone    bigint NOT NULL DEFAULT 0, -- a bit for each slot of a removed run
	repo    text COLLATE "C" NOT NULL,
	serials bytea  NOT NULL -- serials of its runs, by slot
);

CREATE TABLE test_pages (
	page    bigint NOT NULL,
	segment bigint NOT NULL,
	data    bytea  NOT NULL,
	PRIMARY KEY (page, segment)
);

CREATE INDEX test_pages_segment ON test_pages (segment);

-- +goose StatementBegin
CREATE FUNCTION test_run_removed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	of_segment bigint;
	of_slot    int;
	all_gone   boolean;
BEGIN
	DELETE FROM test_runs WHERE run_id = OLD.id RETURNING segment, slot INTO of_segment, of_slot;
	IF of_segment > 0 THEN
		UPDATE test_segments SET gone = gone | (1::bigint << of_slot) WHERE id = of_segment
		RETURNING gone = whole INTO all_gone;
		IF all_gone THEN
			DELETE FROM test_pages WHERE segment = of_segment;
			DELETE FROM test_segments WHERE id = of_segment;
		END IF;
	END IF;
	RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER test_runs_removed AFTER DELETE ON runs FOR EACH ROW EXECUTE FUNCTION test_run_removed();
