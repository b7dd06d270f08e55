-- +goose Up

-- A segment that is being packed, see testpack.Packing. If the segment is gone, its pages are to be removed.
CREATE TABLE test_packings (
	segment bigint PRIMARY KEY,
	state   text COLLATE "C" NOT NULL
);

-- Pages are many, so they are removed later, in short transactions.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION test_run_removed() RETURNS trigger LANGUAGE plpgsql AS $$
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
			INSERT INTO test_packings (segment, state) VALUES (of_segment, '{}') ON CONFLICT DO NOTHING;
			DELETE FROM test_segments WHERE id = of_segment;
		END IF;
	END IF;
	RETURN NULL;
END
$$;
-- +goose StatementEnd
