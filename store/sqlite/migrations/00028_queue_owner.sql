-- Owners share the workers of the queue: store.Queue.
ALTER TABLE queue ADD COLUMN owner TEXT AS (lower(substr(repo, 1, instr(repo || '/', '/') - 1)));

CREATE INDEX queue_owner ON queue (owner, due_at) WHERE due_at IS NOT NULL;
