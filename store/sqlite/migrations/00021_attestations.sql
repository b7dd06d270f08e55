-- Attestations that documents fit code: store.Attestation.
CREATE TABLE attestations (
	repo        TEXT    NOT NULL,
	node        TEXT    NOT NULL,
	doc         TEXT    NOT NULL,
	code        TEXT    NOT NULL,
	doc_digest  TEXT    NOT NULL,
	code_digest TEXT    NOT NULL,
	by_whom     TEXT    NOT NULL,
	at          INTEGER NOT NULL,
	PRIMARY KEY (repo, node, doc, code, doc_digest, code_digest)
) STRICT, WITHOUT ROWID;
