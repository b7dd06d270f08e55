-- +goose Up

-- The size of a run's texts and small rows. It is 0 for runs that an older program adds.
ALTER TABLE runs ADD COLUMN text_bytes bigint NOT NULL DEFAULT 0;

-- The usage of repositories and their owners: store.Usage. A row is a part of a sum. Each connection adds to the row of
-- its shard, so that connections that write at the same time seldom wait for each other. Shard 16 is for removals, and
-- shard 17 is for corrections. The repository / stands for all repositories of the owner.
CREATE TABLE usage (
	owner      text COLLATE "C" NOT NULL, -- in lower case
	repo       text COLLATE "C" NOT NULL,
	shard      smallint NOT NULL,
	day        date     NOT NULL, -- day of the next two columns
	day_runs   bigint   NOT NULL,
	day_events bigint   NOT NULL,
	runs       bigint   NOT NULL,
	events     bigint   NOT NULL,
	bytes      bigint   NOT NULL,
	PRIMARY KEY (owner, repo, shard)
) WITH (fillfactor = 50); -- counters change in place

CREATE FUNCTION usage_owner(repo text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT lower(split_part(repo, '/', 1) COLLATE "C")
$$;

CREATE FUNCTION usage_day() RETURNS date LANGUAGE sql VOLATILE AS $$
	SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date
$$;

-- The size of a run in bytes, computed from columns with these names. The numbers are store.RunRow and store.EventRow.
CREATE FUNCTION usage_bytes(stored bigint, text_bytes bigint, events bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
	SELECT stored + text_bytes + 128 * events + 1024
$$;

-- The triggers see each change of a run, including changes by an older program. They are deferred, so that the rows of
-- usage are locked only during a commit.

-- +goose StatementBegin
CREATE FUNCTION usage_of_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	more_runs   bigint := 1;
	more_events bigint := NEW.events;
	more_bytes  bigint := usage_bytes(NEW.stored, NEW.text_bytes, NEW.events);
	of_owner    text   := usage_owner(NEW.repo);
	of_shard    int    := pg_backend_pid() % 16;
BEGIN
	IF TG_OP = 'UPDATE' THEN
		more_runs   := 0;
		more_events := NEW.events - OLD.events;
		more_bytes  := more_bytes - usage_bytes(OLD.stored, OLD.text_bytes, OLD.events);
	END IF;
	INSERT INTO usage AS u (owner, repo, shard, day, day_runs, day_events, runs, events, bytes)
	VALUES (of_owner, '/', of_shard, usage_day(), more_runs, greatest(0, more_events), more_runs, more_events, more_bytes),
	       (of_owner, NEW.repo, of_shard, usage_day(), more_runs, greatest(0, more_events), more_runs, more_events, more_bytes)
	ON CONFLICT (owner, repo, shard) DO UPDATE
	SET day_runs   = CASE WHEN u.day < excluded.day THEN 0 ELSE u.day_runs END + excluded.day_runs,
	    day_events = CASE WHEN u.day < excluded.day THEN 0 ELSE u.day_events END + excluded.day_events,
	    day        = greatest(u.day, excluded.day),
	    runs       = u.runs + excluded.runs,
	    events     = u.events + excluded.events,
	    bytes      = u.bytes + excluded.bytes;
	RETURN NULL;
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION usage_of_removal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO usage AS u (owner, repo, shard, day, day_runs, day_events, runs, events, bytes)
	SELECT usage_owner(g.repo), n.repo, 16, usage_day(), 0, 0, -count(*), -sum(g.events),
	       -sum(usage_bytes(g.stored, g.text_bytes, g.events))
	FROM gone g
	CROSS JOIN LATERAL (VALUES ('/'), (g.repo)) AS n (repo)
	GROUP BY 1, 2
	ORDER BY 1, 2
	ON CONFLICT (owner, repo, shard) DO UPDATE
	SET runs   = u.runs + excluded.runs,
	    events = u.events + excluded.events,
	    bytes  = u.bytes + excluded.bytes;
	RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE CONSTRAINT TRIGGER usage_started AFTER INSERT ON runs
DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION usage_of_change();

CREATE CONSTRAINT TRIGGER usage_changed AFTER UPDATE ON runs
DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
WHEN (OLD.events <> NEW.events OR OLD.stored <> NEW.stored OR OLD.text_bytes <> NEW.text_bytes)
EXECUTE FUNCTION usage_of_change();

CREATE TRIGGER usage_removed AFTER DELETE ON runs REFERENCING OLD TABLE AS gone
FOR EACH STATEMENT EXECUTE FUNCTION usage_of_removal();
