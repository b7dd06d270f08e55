-- +goose Up

-- The numbers of news are never used again, even after the row of a repository was removed: see
-- store.Notifications.RealmNews.
CREATE SEQUENCE realm_news_last;

SELECT setval('realm_news_last', coalesce(max(n), 0) + 1) FROM realm_news;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION realm_news_of_snapshot() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO realm_news AS r (repo, n) VALUES (NEW.repo, nextval('realm_news_last'))
	ON CONFLICT (repo) DO UPDATE SET n = excluded.n;
	RETURN NULL;
END
$$;
-- +goose StatementEnd
