-- +goose Up

-- When the newest chunk of a run's log was added, NULL for none.
ALTER TABLE runs ADD COLUMN output_at timestamptz;
