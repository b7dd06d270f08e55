-- +goose Up

-- A run is undated if its client did not send its time. In that case started_at may be wrong.
ALTER TABLE runs ADD COLUMN undated boolean NOT NULL DEFAULT false;
