-- +goose Up

-- The number of the first event of a run that is not settled, 0 for none.
ALTER TABLE runs ADD COLUMN live_from integer NOT NULL DEFAULT 0;
