-- +goose Up

-- The fields of store.CIJob, computed from ci. So they also exist for runs that an older program adds. The text is cut
-- because an index limits its length.
CREATE INDEX runs_job ON runs (
	left(substring(ci FROM '"run_id":"(([^"\\]|\\.)*)"'), 100),
	repo,
	left(substring(ci FROM '"check_run_id":"(([^"\\]|\\.)*)"'), 100),
	id
) WHERE ci IS NOT NULL;
