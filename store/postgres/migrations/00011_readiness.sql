-- +goose Up

-- Readiness writes the row, to see whether the database can be written.
CREATE TABLE readiness (
	id smallint PRIMARY KEY,
	at timestamptz NOT NULL
);
