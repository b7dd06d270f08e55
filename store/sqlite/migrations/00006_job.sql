-- The fields of store.CIJob, computed from ci. So they also exist for runs that an older program adds.
ALTER TABLE runs ADD COLUMN ci_run_id TEXT GENERATED ALWAYS AS (coalesce(ci ->> 'run_id', '')) VIRTUAL;
ALTER TABLE runs ADD COLUMN ci_run_attempt INTEGER GENERATED ALWAYS AS (coalesce(ci ->> 'run_attempt', 0)) VIRTUAL;
ALTER TABLE runs ADD COLUMN ci_check_run_id TEXT GENERATED ALWAYS AS (coalesce(ci ->> 'check_run_id', '')) VIRTUAL;

CREATE INDEX runs_job ON runs (ci_run_id, repo, ci_check_run_id) WHERE ci_run_id > '';
