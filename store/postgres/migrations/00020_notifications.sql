-- +goose Up

-- Notifications of repositories about contracts: store.Notifications.
CREATE TABLE realm_states (
	realm   text COLLATE "C" PRIMARY KEY,
	heads   text NOT NULL, -- JSON: commits by repository
	version bigint NOT NULL
);

CREATE TABLE realm_news (
	repo text COLLATE "C" PRIMARY KEY,
	n    bigint NOT NULL
);

CREATE TABLE notifications (
	id         text COLLATE "C" PRIMARY KEY,
	key        text COLLATE "C" NOT NULL UNIQUE,
	realm      text COLLATE "C" NOT NULL,
	subject    text COLLATE "C" NOT NULL, -- domain/contract
	body       text        NOT NULL, -- store.Notification as JSON
	supersedes text COLLATE "C" NOT NULL,
	created_at timestamptz NOT NULL
);

CREATE INDEX notifications_by_subject ON notifications (realm, subject, created_at);
CREATE INDEX notifications_by_time ON notifications (created_at);

CREATE TABLE notification_recipients (
	repo         text COLLATE "C" NOT NULL,
	notification text COLLATE "C" NOT NULL,
	PRIMARY KEY (repo, notification)
);

CREATE INDEX notification_recipients_by_notification ON notification_recipients (notification);

CREATE TABLE notification_reads (
	notification text COLLATE "C" NOT NULL,
	repo         text COLLATE "C" NOT NULL,
	reader       text COLLATE "C" NOT NULL,
	seen_at      timestamptz, -- NULL before that
	expired_at   timestamptz,
	PRIMARY KEY (notification, repo, reader)
);

-- +goose StatementBegin
CREATE FUNCTION realm_news_of_snapshot() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO realm_news AS r (repo, n) VALUES (NEW.repo, 1) ON CONFLICT (repo) DO UPDATE SET n = r.n + 1;
	RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER realm_news_added AFTER INSERT ON snapshots
FOR EACH ROW WHEN (NEW.kind = 'contracts' AND NOT NEW.fork AND NEW.branch <> '')
EXECUTE FUNCTION realm_news_of_snapshot();

CREATE TRIGGER realm_news_renamed AFTER UPDATE OF branch ON snapshots
FOR EACH ROW WHEN (NEW.kind = 'contracts' AND NOT NEW.fork AND NEW.branch <> OLD.branch)
EXECUTE FUNCTION realm_news_of_snapshot();
