-- What the jobs of the queue take counts for their owner, see store.Usage. The number is store.WorkRow.
CREATE VIEW work_sizes AS
SELECT id, state, ended_at, lower(substr(repo, 1, instr(repo || '/', '/') - 1)) AS owner,
       octet_length(key) + octet_length(body) + octet_length(error) + 512 AS bytes
FROM queue;

INSERT INTO usage (owner, repo, day, day_runs, day_events, runs, events, bytes)
SELECT owner, '/', 0, 0, 0, 0, 0, sum(bytes)
FROM work_sizes
WHERE true
GROUP BY owner
ON CONFLICT (owner, repo) DO UPDATE SET bytes = bytes + excluded.bytes;

CREATE TRIGGER usage_work_added AFTER INSERT ON queue BEGIN
	INSERT INTO usage (owner, repo, day, day_runs, day_events, runs, events, bytes)
	SELECT w.owner, '/', 0, 0, 0, 0, 0, w.bytes
	FROM work_sizes w
	WHERE w.id = NEW.id
	ON CONFLICT (owner, repo) DO UPDATE SET bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER usage_work_changed AFTER UPDATE OF body, error ON queue
WHEN octet_length(OLD.body) + octet_length(OLD.error) <> octet_length(NEW.body) + octet_length(NEW.error) BEGIN
	UPDATE usage
	SET bytes = bytes + octet_length(NEW.body) + octet_length(NEW.error)
	                  - octet_length(OLD.body) - octet_length(OLD.error)
	WHERE owner = lower(substr(NEW.repo, 1, instr(NEW.repo || '/', '/') - 1)) AND repo = '/';
END;

CREATE TRIGGER usage_work_removed BEFORE DELETE ON queue BEGIN
	UPDATE usage
	SET bytes = bytes - octet_length(OLD.key) - octet_length(OLD.body) - octet_length(OLD.error) - 512
	WHERE owner = lower(substr(OLD.repo, 1, instr(OLD.repo || '/', '/') - 1)) AND repo = '/';
END;
