-- These columns distinguish the steps of a source: store.Run.Shape, and a digest of the shape, the matrix leg and the
-- job, see store.Step.Key. Both are '' for a run that an older program adds. Readers compute them from the command of
-- such a run.
ALTER TABLE runs ADD COLUMN shape TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN step TEXT NOT NULL DEFAULT '';
