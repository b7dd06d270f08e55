-- Notifications of repositories about contracts: store.Notifications.
CREATE TABLE realm_states (
	realm   TEXT PRIMARY KEY,
	heads   TEXT    NOT NULL, -- JSON: commits by repository
	version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE realm_news (
	repo TEXT PRIMARY KEY,
	n    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE notifications (
	id         TEXT PRIMARY KEY,
	key        TEXT    NOT NULL UNIQUE,
	realm      TEXT    NOT NULL,
	subject    TEXT    NOT NULL, -- domain/contract
	body       TEXT    NOT NULL, -- store.Notification as JSON
	supersedes TEXT    NOT NULL,
	created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX notifications_by_subject ON notifications (realm, subject, created_at);
CREATE INDEX notifications_by_time ON notifications (created_at);

CREATE TABLE notification_recipients (
	repo         TEXT NOT NULL,
	notification TEXT NOT NULL,
	PRIMARY KEY (repo, notification)
) STRICT, WITHOUT ROWID;

CREATE INDEX notification_recipients_by_notification ON notification_recipients (notification);

CREATE TABLE notification_reads (
	notification TEXT    NOT NULL,
	repo         TEXT    NOT NULL,
	reader       TEXT    NOT NULL,
	seen_at      INTEGER NOT NULL, -- 0 before that
	expired_at   INTEGER NOT NULL,
	PRIMARY KEY (notification, repo, reader)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER realm_news_added AFTER INSERT ON snapshots
WHEN NEW.kind = 'contracts' AND NEW.fork = 0 AND NEW.branch <> ''
BEGIN
	INSERT INTO realm_news (repo, n) VALUES (NEW.repo, 1) ON CONFLICT (repo) DO UPDATE SET n = n + 1;
END;

CREATE TRIGGER realm_news_renamed AFTER UPDATE OF branch ON snapshots
WHEN NEW.kind = 'contracts' AND NEW.fork = 0 AND NEW.branch <> OLD.branch
BEGIN
	INSERT INTO realm_news (repo, n) VALUES (NEW.repo, 1) ON CONFLICT (repo) DO UPDATE SET n = n + 1;
END;
