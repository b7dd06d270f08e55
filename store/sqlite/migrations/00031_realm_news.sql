-- The numbers of news are never used again, even after the row of a repository was removed: see
-- store.Notifications.RealmNews.
CREATE TABLE realm_news_last (
	n INTEGER NOT NULL
) STRICT;

INSERT INTO realm_news_last SELECT coalesce(max(n), 0) FROM realm_news;

DROP TRIGGER realm_news_added;
DROP TRIGGER realm_news_renamed;

CREATE TRIGGER realm_news_added AFTER INSERT ON snapshots
WHEN NEW.kind = 'contracts' AND NEW.fork = 0 AND NEW.branch <> ''
BEGIN
	UPDATE realm_news_last SET n = n + 1;
	INSERT INTO realm_news (repo, n) SELECT NEW.repo, n FROM realm_news_last WHERE true
	ON CONFLICT (repo) DO UPDATE SET n = excluded.n;
END;

CREATE TRIGGER realm_news_renamed AFTER UPDATE OF branch ON snapshots
WHEN NEW.kind = 'contracts' AND NEW.fork = 0 AND NEW.branch <> OLD.branch
BEGIN
	UPDATE realm_news_last SET n = n + 1;
	INSERT INTO realm_news (repo, n) SELECT NEW.repo, n FROM realm_news_last WHERE true
	ON CONFLICT (repo) DO UPDATE SET n = excluded.n;
END;
