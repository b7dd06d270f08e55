-- +goose Up

-- Owners share the workers of the queue: store.Queue.
ALTER TABLE queue ADD COLUMN owner text COLLATE "C" GENERATED ALWAYS AS (lower(split_part(repo, '/', 1))) STORED;

CREATE INDEX queue_owner ON queue (owner, due_at) WHERE due_at IS NOT NULL;
