-- The browsers in which people have signed in: store.SignIn.
CREATE TABLE directory_sign_ins (
	hash       BLOB    NOT NULL PRIMARY KEY,
	person     TEXT    NOT NULL,
	sealed     BLOB    NOT NULL,
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX directory_sign_ins_expires ON directory_sign_ins (expires_at);
