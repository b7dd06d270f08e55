-- +goose Up

-- The browsers in which people have signed in: store.SignIn.
CREATE TABLE directory_sign_ins (
	hash       bytea PRIMARY KEY,
	person     text COLLATE "C" NOT NULL,
	sealed     bytea       NOT NULL,
	created_at timestamptz NOT NULL,
	expires_at timestamptz NOT NULL
);

CREATE INDEX directory_sign_ins_expires ON directory_sign_ins (expires_at);
