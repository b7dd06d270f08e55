-- When the newest chunk of a run's log was added, 0 for none.
ALTER TABLE runs ADD COLUMN output_at INTEGER NOT NULL DEFAULT 0;
