-- +goose Up

-- What store.CIJob names, out of ci: so it is there for runs that an older
-- program adds, too. An index takes no text of any length.
CREATE INDEX runs_job ON runs (
	left(substring(ci FROM '"run_id":"(([^"\\]|\\.)*)"'), 100),
	repo,
	left(substring(ci FROM '"check_run_id":"(([^"\\]|\\.)*)"'), 100),
	id
) WHERE ci IS NOT NULL;
