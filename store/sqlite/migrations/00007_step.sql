-- What tells the steps of a source apart: store.Run.Shape, and a digest of it
-- with the matrix leg and the job, see store.Step.Key. Both are '' for a run that
-- an older program adds: then they are made of its command when it is read.
ALTER TABLE runs ADD COLUMN shape TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN step TEXT NOT NULL DEFAULT '';
