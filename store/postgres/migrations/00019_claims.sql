-- +goose Up

-- The amounts that requests of replicas are about to add while a quota is nearly used up. Claims may be lost in a
-- crash.
CREATE UNLOGGED TABLE claims (
	id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	owner  text        NOT NULL,
	repo   text        NOT NULL,
	runs   bigint      NOT NULL,
	events bigint      NOT NULL,
	bytes  bigint      NOT NULL,
	until  timestamptz NOT NULL
);

CREATE INDEX claims_owner ON claims (owner);
