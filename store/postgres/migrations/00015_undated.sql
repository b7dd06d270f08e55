-- +goose Up

-- A run is undated if its client did not tell its time, so that started_at may be off.
ALTER TABLE runs ADD COLUMN undated boolean NOT NULL DEFAULT false;
