-- The matrix leg of a run: store.Run.Leg. Runs of a source with different legs must not be compared.
ALTER TABLE runs ADD COLUMN leg TEXT NOT NULL DEFAULT '';

UPDATE runs
SET leg = iif(json_valid(ci ->> 'matrix') AND json_type(ci ->> 'matrix') = 'object', (
	SELECT coalesce(nullif(json_group_object(key, json(value)), '{}'), '')
	FROM (
		SELECT key, iif(type IN ('true', 'false', 'null'), type, iif(type IN ('object', 'array'), value, json_quote(value))) AS value
		FROM json_each(ci ->> 'matrix')
		ORDER BY key
	)
), trim(ci ->> 'matrix'))
WHERE ci ->> 'matrix' <> '';

-- The search for a baseline uses a branch, or commits.
CREATE INDEX runs_line  ON runs (source_id, git_branch, leg);
CREATE INDEX runs_point ON runs (source_id, leg, git_commit);
