-- The number of the first event of a run that is not settled, 0 for none.
ALTER TABLE runs ADD COLUMN live_from INTEGER NOT NULL DEFAULT 0;
