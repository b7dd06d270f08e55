-- +goose Up

-- The readiness check writes this row to test whether the database is writable.
CREATE TABLE readiness (
	id smallint PRIMARY KEY,
	at timestamptz NOT NULL
);
