-- +goose Up

-- The callers that may write and read: store.Directory.

CREATE TABLE directory_repos (
	host           text COLLATE "C" NOT NULL,
	id             bigint  NOT NULL,
	name           text COLLATE "C" NOT NULL,
	default_branch text COLLATE "C" NOT NULL,
	public         boolean NOT NULL,
	enrolled_at    timestamptz,
	PRIMARY KEY (host, id)
);

CREATE UNIQUE INDEX directory_repos_name ON directory_repos (lower(name)); -- forges ignore case
CREATE INDEX directory_repos_owner ON directory_repos (name);

CREATE TABLE directory_tokens (
	id         text COLLATE "C" PRIMARY KEY,
	name       text COLLATE "C" NOT NULL,
	hash       bytea   NOT NULL UNIQUE,
	scopes     text[]  NOT NULL,
	repos      text[],
	owners     text[],
	job        text COLLATE "C" NOT NULL,
	created_at timestamptz,
	expires_at timestamptz,
	revoked_at timestamptz
);

CREATE INDEX directory_tokens_people ON directory_tokens (created_at) WHERE job = '';
CREATE INDEX directory_tokens_jobs   ON directory_tokens (expires_at) WHERE job <> '';

CREATE TABLE directory_used (
	value text COLLATE "C" PRIMARY KEY,
	until timestamptz NOT NULL
);

CREATE INDEX directory_used_until ON directory_used (until);
