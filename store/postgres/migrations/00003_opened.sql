-- +goose Up

-- When a run was started here, by the clock of the service. It shows how long the run has been open.
ALTER TABLE runs ADD COLUMN opened_at timestamptz;

UPDATE runs
SET opened_at = coalesce(heartbeat_at, started_at)
WHERE state <> 'completed';

CREATE INDEX runs_running_repo ON runs (repo) WHERE state = 'running';
