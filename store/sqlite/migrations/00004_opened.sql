-- When a run was started here, by the clock of the service. It shows how long the run has been open.
ALTER TABLE runs ADD COLUMN opened_at INTEGER NOT NULL DEFAULT 0;

UPDATE runs
SET opened_at = heartbeat_at
WHERE state <> 'completed';

CREATE INDEX runs_running_repo ON runs (repo) WHERE state = 'running';
