-- Digests of the files that a run's events name: store.FileDigests as JSON, '' for none.
ALTER TABLE runs ADD COLUMN files TEXT NOT NULL DEFAULT '';
