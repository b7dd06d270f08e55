-- +goose Up

-- Sessions of work on repositories of a realm: store.Session.
CREATE TABLE realm_sessions (
	repo       text COLLATE "C" NOT NULL,
	reader     text COLLATE "C" NOT NULL,
	id         text        NOT NULL,
	body       text        NOT NULL, -- store.Session as JSON
	started_at timestamptz NOT NULL,
	active_at  timestamptz NOT NULL,
	PRIMARY KEY (repo, reader)
);
