-- +goose Up

-- Attestations that documents fit code: store.Attestation. The key is a digest of the names and contents, because
-- paths may be too long for an index.
CREATE TABLE attestations (
	repo        text COLLATE "C" NOT NULL,
	key         text COLLATE "C" NOT NULL,
	node        text        NOT NULL,
	doc         text        NOT NULL,
	code        text        NOT NULL,
	doc_digest  text        NOT NULL,
	code_digest text        NOT NULL,
	by_whom     text        NOT NULL,
	at          timestamptz NOT NULL,
	PRIMARY KEY (repo, key)
);
