-- +goose Up

-- Jobs of the queue: store.Work. due_at is when the job may start, or when the lease of its worker ends. It is NULL
-- after the job has ended. calls counts how often the job was put.
CREATE TABLE queue (
	id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	key        text COLLATE "C" NOT NULL UNIQUE,
	kind       text COLLATE "C" NOT NULL,
	repo       text        NOT NULL,
	body       bytea       NOT NULL,
	state      text COLLATE "C" NOT NULL,
	tries      integer     NOT NULL,
	error      text        NOT NULL,
	lease      text COLLATE "C" NOT NULL,
	calls      integer     NOT NULL,
	due_at     timestamptz,
	created_at timestamptz NOT NULL,
	ended_at   timestamptz
);

CREATE INDEX queue_due ON queue (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX queue_ended ON queue (state, ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX queue_lease ON queue (lease) WHERE lease <> '';
