-- +goose Up

-- The number from which on the events of a run are not settled, 0 for none.
ALTER TABLE runs ADD COLUMN live_from integer NOT NULL DEFAULT 0;
