-- The number from which on the events of a run are not settled, 0 for none.
ALTER TABLE runs ADD COLUMN live_from INTEGER NOT NULL DEFAULT 0;
