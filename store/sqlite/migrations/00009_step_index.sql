-- The newest run of each step is the last one in the index, also on a branch.
CREATE INDEX runs_step        ON runs (source_id, step);
CREATE INDEX runs_step_branch ON runs (source_id, git_branch, step);
