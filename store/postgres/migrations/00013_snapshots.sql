-- +goose Up

-- Facts of commits: store.Snapshot. A commit has one snapshot of each kind, and may have another one from a fork.
CREATE TABLE snapshots (
	id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	files       bigint  NOT NULL,
	bytes       bigint  NOT NULL,
	pr          bigint  NOT NULL,
	created_at  timestamptz NOT NULL,
	fork        boolean NOT NULL,
	verified    boolean NOT NULL,
	repo        text COLLATE "C" NOT NULL,
	commit_hash text COLLATE "C" NOT NULL,
	kind        text COLLATE "C" NOT NULL,
	manifest    text COLLATE "C" NOT NULL,
	branch      text COLLATE "C" NOT NULL,
	tag         text COLLATE "C" NOT NULL,
	UNIQUE (repo, commit_hash, kind, fork)
);

CREATE INDEX snapshots_manifest ON snapshots (repo, manifest);
CREATE INDEX snapshots_created  ON snapshots (created_at);

-- The content of repositories: store.Object. For a manifest, used is true if a snapshot has it. For a file, used is
-- true if a snapshot has had it at any time.
CREATE TABLE fact_objects (
	size     bigint  NOT NULL,
	asked_at timestamptz NOT NULL,
	used     boolean NOT NULL DEFAULT false,
	repo     text COLLATE "C" NOT NULL,
	digest   text COLLATE "C" NOT NULL,
	key      text COLLATE "C" NOT NULL UNIQUE,
	PRIMARY KEY (repo, digest)
);

CREATE INDEX fact_objects_unused ON fact_objects (asked_at, repo) WHERE NOT used;

-- Commits with their first parents, or '' if unknown, and the store.Snapshot.Trust of the sender.
CREATE TABLE commits (
	repo   text COLLATE "C" NOT NULL,
	hash   text COLLATE "C" NOT NULL,
	parent text COLLATE "C" NOT NULL,
	trust  smallint NOT NULL,
	PRIMARY KEY (repo, hash)
);

-- The commits of branches, tags and pull requests, by store.CommitName.Key.
CREATE TABLE commit_names (
	repo        text COLLATE "C" NOT NULL,
	name        text COLLATE "C" NOT NULL,
	commit_hash text COLLATE "C" NOT NULL,
	trust       smallint NOT NULL,
	PRIMARY KEY (repo, name)
);

-- The size of facts in bytes. The numbers are store.SnapshotRow and store.ObjectRow.
CREATE VIEW fact_sizes AS
SELECT repo, 1024::bigint AS bytes FROM snapshots
UNION ALL
SELECT repo, size + 2048 FROM fact_objects;

-- Added and removed facts are counted in the same way as runs.

-- +goose StatementBegin
CREATE FUNCTION usage_of_fact() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	more     bigint := 1024;
	of_owner text   := usage_owner(NEW.repo);
	of_shard int    := pg_backend_pid() % 16;
BEGIN
	IF TG_TABLE_NAME = 'fact_objects' THEN
		more := NEW.size + 2048;
	END IF;
	INSERT INTO usage AS u (owner, repo, shard, day, day_runs, day_events, runs, events, bytes)
	VALUES (of_owner, '/', of_shard, usage_day(), 0, 0, 0, 0, more),
	       (of_owner, NEW.repo, of_shard, usage_day(), 0, 0, 0, 0, more)
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
CREATE FUNCTION usage_of_lost_fact() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO usage AS u (owner, repo, shard, day, day_runs, day_events, runs, events, bytes)
	SELECT usage_owner(g.repo), n.repo, 16, usage_day(), 0, 0, 0, 0,
	       -sum(CASE TG_TABLE_NAME WHEN 'fact_objects' THEN (to_jsonb(g) ->> 'size')::bigint + 2048 ELSE 1024 END)
	FROM gone g
	CROSS JOIN LATERAL (VALUES ('/'), (g.repo)) AS n (repo)
	GROUP BY 1, 2
	ORDER BY 1, 2
	ON CONFLICT (owner, repo, shard) DO UPDATE SET bytes = u.bytes + excluded.bytes;
	RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE CONSTRAINT TRIGGER usage_snapshot_added AFTER INSERT ON snapshots
DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION usage_of_fact();

CREATE CONSTRAINT TRIGGER usage_object_added AFTER INSERT ON fact_objects
DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION usage_of_fact();

CREATE TRIGGER usage_snapshot_removed AFTER DELETE ON snapshots REFERENCING OLD TABLE AS gone
FOR EACH STATEMENT EXECUTE FUNCTION usage_of_lost_fact();

CREATE TRIGGER usage_object_removed AFTER DELETE ON fact_objects REFERENCING OLD TABLE AS gone
FOR EACH STATEMENT EXECUTE FUNCTION usage_of_lost_fact();
