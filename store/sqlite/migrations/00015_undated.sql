-- A run is undated if its client did not send its time. In that case started_at may be wrong.
ALTER TABLE runs ADD COLUMN undated INTEGER NOT NULL DEFAULT 0;
