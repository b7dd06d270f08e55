-- +goose Up

-- What the jobs of the queue take counts for their owner, see store.Usage. The number is store.WorkRow.
CREATE VIEW work_sizes AS
SELECT id, state, ended_at, usage_owner(repo) AS owner,
       (octet_length(key) + octet_length(body) + octet_length(error))::bigint + 512 AS bytes
FROM queue;

-- +goose StatementBegin
CREATE FUNCTION usage_of_work() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	more bigint := octet_length(NEW.body) + octet_length(NEW.error);
BEGIN
	IF TG_OP = 'UPDATE' THEN
		more := more - octet_length(OLD.body) - octet_length(OLD.error);
	ELSE
		more := more + octet_length(NEW.key) + 512;
	END IF;
	INSERT INTO usage AS u (owner, repo, shard, day, day_runs, day_events, runs, events, bytes)
	VALUES (usage_owner(NEW.repo), '/', pg_backend_pid() % 16, usage_day(), 0, 0, 0, 0, more)
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
CREATE FUNCTION usage_of_lost_work() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO usage AS u (owner, repo, shard, day, day_runs, day_events, runs, events, bytes)
	SELECT usage_owner(g.repo), '/', 16, usage_day(), 0, 0, 0, 0,
	       -sum(octet_length(g.key) + octet_length(g.body) + octet_length(g.error) + 512)
	FROM gone g
	GROUP BY 1
	ORDER BY 1
	ON CONFLICT (owner, repo, shard) DO UPDATE SET bytes = u.bytes + excluded.bytes;
	RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE CONSTRAINT TRIGGER usage_work_added AFTER INSERT ON queue
DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION usage_of_work();

CREATE CONSTRAINT TRIGGER usage_work_changed AFTER UPDATE ON queue
DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
WHEN (octet_length(OLD.body) + octet_length(OLD.error) <> octet_length(NEW.body) + octet_length(NEW.error))
EXECUTE FUNCTION usage_of_work();

CREATE TRIGGER usage_work_removed AFTER DELETE ON queue REFERENCING OLD TABLE AS gone
FOR EACH STATEMENT EXECUTE FUNCTION usage_of_lost_work();

-- The triggers keep others from changing the queue until this is committed.
INSERT INTO usage AS u (owner, repo, shard, day, day_runs, day_events, runs, events, bytes)
SELECT owner, '/', 17, usage_day(), 0, 0, 0, 0, sum(bytes)
FROM work_sizes
GROUP BY owner
ON CONFLICT (owner, repo, shard) DO UPDATE SET bytes = u.bytes + excluded.bytes;
