-- What tells runs of a source apart that must not be compared: store.Run.Leg.
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

-- A baseline is looked for by branch, or by commits.
CREATE INDEX runs_line  ON runs (source_id, git_branch, leg);
CREATE INDEX runs_point ON runs (source_id, leg, git_commit);
