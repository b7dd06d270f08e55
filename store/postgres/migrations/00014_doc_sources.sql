-- +goose Up

-- External documentation: store.SourceVersion. The newest version of a source has the highest id.
CREATE TABLE doc_sources (
	id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	repo          text COLLATE "C" NOT NULL,
	alias         text COLLATE "C" NOT NULL,
	digest        text COLLATE "C" NOT NULL,
	key           text COLLATE "C" NOT NULL UNIQUE,
	size          bigint      NOT NULL,
	lines         bigint      NOT NULL,
	headings      bigint      NOT NULL,
	title         text        NOT NULL,
	url           text        NOT NULL,
	final_url     text        NOT NULL,
	etag          text        NOT NULL,
	last_modified text        NOT NULL,
	took          bigint      NOT NULL, -- nanoseconds
	fetched_at    timestamptz NOT NULL,
	checked_at    timestamptz NOT NULL,
	UNIQUE (repo, alias, digest)
);

CREATE OR REPLACE VIEW fact_sizes AS
SELECT repo, 1024::bigint AS bytes FROM snapshots
UNION ALL
SELECT repo, size + 2048 FROM fact_objects
UNION ALL
SELECT repo, size + 2048 FROM doc_sources;

-- +goose StatementBegin
CREATE FUNCTION usage_of_source() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	of_owner text := usage_owner(NEW.repo);
	of_shard int  := pg_backend_pid() % 16;
BEGIN
	INSERT INTO usage AS u (owner, repo, shard, day, day_runs, day_events, runs, events, bytes)
	VALUES (of_owner, '/', of_shard, usage_day(), 0, 0, 0, 0, NEW.size + 2048),
	       (of_owner, NEW.repo, of_shard, usage_day(), 0, 0, 0, 0, NEW.size + 2048)
	ON CONFLICT (owner, repo, shard) DO UPDATE
	SET day_runs   = CASE WHEN u.day < excluded.day THEN 0 ELSE u.day_runs END,
	    day_events = CASE WHEN u.day < excluded.day THEN 0 ELSE u.day_events END,
	    day        = greatest(u.day, excluded.day),
	    bytes      = u.bytes + excluded.bytes;
	RETURN NULL;
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION usage_of_lost_source() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO usage AS u (owner, repo, shard, day, day_runs, day_events, runs, events, bytes)
	SELECT usage_owner(g.repo), n.repo, 16, usage_day(), 0, 0, 0, 0, -sum(g.size + 2048)
	FROM gone g
	CROSS JOIN LATERAL (VALUES ('/'), (g.repo)) AS n (repo)
	GROUP BY 1, 2
	ORDER BY 1, 2
	ON CONFLICT (owner, repo, shard) DO UPDATE SET bytes = u.bytes + excluded.bytes;
	RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE CONSTRAINT TRIGGER usage_source_added AFTER INSERT ON doc_sources
DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION usage_of_source();

CREATE TRIGGER usage_source_removed AFTER DELETE ON doc_sources REFERENCING OLD TABLE AS gone
FOR EACH STATEMENT EXECUTE FUNCTION usage_of_lost_source();
