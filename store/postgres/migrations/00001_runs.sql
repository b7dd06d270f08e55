-- +goose Up

-- A missing time is NULL. Unknown text is ''. text.go describes how text that PostgreSQL cannot store is encoded.

CREATE TABLE repos (
	name        text COLLATE "C" PRIMARY KEY,
	last_serial integer NOT NULL -- only increases, so no serial is used twice
);

CREATE TABLE sources (
	id   integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	repo text COLLATE "C" NOT NULL REFERENCES repos (name),
	name text COLLATE "C" NOT NULL,
	UNIQUE (repo, name)
);

CREATE SEQUENCE run_numbers AS bigint CACHE 1;

-- The number of a month, with which the ids of its runs begin. It increases with time, by the clock of the database,
-- which all replicas share.
CREATE FUNCTION month_now() RETURNS bigint LANGUAGE sql VOLATILE AS $$
	SELECT (extract(YEAR FROM t) * 12 + extract(MONTH FROM t) - 1)::bigint
	FROM (SELECT clock_timestamp() AT TIME ZONE 'UTC' AS t) AS now
$$;

-- Ids increase, and contain the month in which a run arrived. So the events of a run, and of the runs before it, are in
-- few partitions.
CREATE TABLE runs (
	id           bigint  NOT NULL PRIMARY KEY DEFAULT (month_now() << 40) + nextval('run_numbers'),
	attempt      text COLLATE "C" NOT NULL UNIQUE,
	repo         text COLLATE "C" NOT NULL,
	serial       integer NOT NULL,
	source_id    integer NOT NULL REFERENCES sources (id),
	source       text COLLATE "C" NOT NULL,
	command      text COLLATE "C" NOT NULL,
	cwd          text COLLATE "C" NOT NULL,
	started_at   timestamptz,
	hostname     text COLLATE "C" NOT NULL,
	platform     text COLLATE "C" NOT NULL,
	arch         text COLLATE "C" NOT NULL,
	git_commit   text COLLATE "C" NOT NULL,
	git_branch   text COLLATE "C" NOT NULL,
	git_dirty    boolean NOT NULL,
	git_root     text COLLATE "C" NOT NULL,
	ci           text COLLATE "C", -- JSON
	fork         boolean NOT NULL,
	pr           bigint  NOT NULL, -- 0 for none
	leg          bigint  NOT NULL, -- digest of store.Run.Leg, 0 for none
	format       text COLLATE "C" NOT NULL,
	state        text COLLATE "C" NOT NULL,
	heartbeat_at timestamptz,
	finished_at  timestamptz,
	exit_code    bigint,
	signal       text COLLATE "C" NOT NULL DEFAULT '',
	reason       text COLLATE "C" NOT NULL DEFAULT '',
	lost         text COLLATE "C" NOT NULL DEFAULT '',
	events       bigint  NOT NULL DEFAULT 0,
	errors       bigint  NOT NULL DEFAULT 0,
	warnings     bigint  NOT NULL DEFAULT 0,
	bytes        bigint  NOT NULL DEFAULT 0,
	stored       bigint  NOT NULL DEFAULT 0, -- bytes of its objects
	lines        bigint  NOT NULL DEFAULT 0
) WITH (fillfactor = 80); -- counters change in place

CREATE UNIQUE INDEX runs_serial ON runs (repo, serial);
CREATE INDEX runs_number  ON runs (serial);
CREATE INDEX runs_repo    ON runs (repo, id);
CREATE INDEX runs_source  ON runs (source_id, id);
CREATE INDEX runs_branch  ON runs (repo, git_branch, id);
CREATE INDEX runs_commit  ON runs (repo, git_commit, id);
CREATE INDEX runs_pr      ON runs (repo, pr, id) WHERE pr > 0;
CREATE INDEX runs_running ON runs (id) WHERE state = 'running';
CREATE INDEX runs_line    ON runs (source_id, git_branch, leg, id);
CREATE INDEX runs_point   ON runs (source_id, leg, git_commit, id);

-- There is one partition for each month, see partitions.go. Wide columns come first to avoid padding. There are no
-- foreign keys, because a check of each row would cost more than the row. All code that adds or removes events holds
-- the lock of their run.
CREATE TABLE events (
	run_id       bigint   NOT NULL,
	fingerprint  bigint   NOT NULL, -- store.FingerprintHash
	pattern      bigint   NOT NULL,
	id           integer  NOT NULL,
	source_id    integer  NOT NULL,
	line         integer  NOT NULL,
	col          integer  NOT NULL,
	log_line     integer  NOT NULL,
	log_line_end integer  NOT NULL,
	severity     smallint NOT NULL, -- 1 error, 2 warning, 3 info
	file         text COLLATE "C" NOT NULL,
	message      text COLLATE "C" NOT NULL,
	tool         text COLLATE "C" NOT NULL,
	category     text COLLATE "C" NOT NULL,
	code         text COLLATE "C" NOT NULL,
	test         text COLLATE "C" NOT NULL,
	stream       text COLLATE "C" NOT NULL
) PARTITION BY RANGE (run_id);

-- Pages have this order: newest runs first, and the events of a run in log order.
CREATE UNIQUE INDEX events_run ON events (run_id DESC, id);
CREATE INDEX events_fingerprint ON events (source_id, fingerprint, run_id);

CREATE TABLE batches (
	run_id   bigint  NOT NULL REFERENCES runs (id),
	sequence bigint  NOT NULL,
	PRIMARY KEY (run_id, sequence)
);

CREATE TABLE chunks (
	run_id     bigint NOT NULL REFERENCES runs (id),
	start      bigint NOT NULL,
	bytes      bigint NOT NULL,
	stored     bigint NOT NULL,
	sequence   bigint NOT NULL,
	first_line bigint NOT NULL,
	lines      bigint NOT NULL,
	stream     text COLLATE "C" NOT NULL,
	digest     text COLLATE "C" NOT NULL,
	key        text COLLATE "C" NOT NULL,
	PRIMARY KEY (run_id, sequence)
);

CREATE INDEX chunks_key ON chunks (key);

-- Removed runs, so that lookups of their references can say that they were removed.
CREATE TABLE pruned (
	repo    text COLLATE "C" NOT NULL,
	serial  integer NOT NULL,
	source  text COLLATE "C" NOT NULL,
	attempt text COLLATE "C" NOT NULL UNIQUE,
	PRIMARY KEY (repo, serial)
);

CREATE INDEX pruned_number ON pruned (serial);

CREATE TABLE garbage (
	key text COLLATE "C" PRIMARY KEY
);
