-- The newest run of each step is found at the end of its runs, on a branch too.
CREATE INDEX runs_step        ON runs (source_id, step);
CREATE INDEX runs_step_branch ON runs (source_id, git_branch, step);
