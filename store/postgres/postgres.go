// Package postgres is the store.Store of a service: a PostgreSQL database, 15
// or later, that any number of replicas use at once. Nothing is kept in memory
// that another replica would miss.
package postgres

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/blq-ci/blq/store"
)

// Store is a store.Store in a PostgreSQL database. Its methods may be called
// from several goroutines.
type Store struct {
	pool    *pgxpool.Pool
	queries chan struct{} // holds one for each Query that runs
}

var _ store.Store = (*Store)(nil)

// Options bound what a Store takes. Zero fields mean the defaults.
type Options struct {
	Connections      int           // at most; default: what the URL says in pool_max_conns, else 4 or the number of processors
	ConnectTimeout   time.Duration // to make a connection; default 5 s
	StatementTimeout time.Duration // of a single statement; default 30 s
	LockTimeout      time.Duration // waiting for another's lock; default 10 s
	IdleTimeout      time.Duration // of a transaction in which nothing happens; default 60 s
	Queries          int           // calls of Query that may run at once, others wait; default: the number of processors, at least 2
}

// Open returns the store in the database that a URL or a connection string
// names, as libpq reads them. It makes connections when they are needed: a
// database that is down is told by Ready, and by each call. Invalid: the URL
// makes no sense.
func Open(ctx context.Context, url string, o Options) (*Store, error) {
	c, err := pgxpool.ParseConfig(url)
	if err != nil { // does not hold the password
		return nil, store.Hint(store.Errorf(store.Invalid, "database URL: %w", err), "postgres://user:password@host:5432/database is the form of a database URL")
	}
	configure(c, o)
	pool, err := pgxpool.NewWithConfig(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", failure(ctx, err))
	}
	n := o.Queries
	if n <= 0 {
		n = max(2, runtime.NumCPU())
	}
	return &Store{pool: pool, queries: make(chan struct{}, n)}, nil
}

func configure(c *pgxpool.Config, o Options) {
	if o.Connections > 0 {
		c.MaxConns = int32(o.Connections)
	}
	c.ConnConfig.ConnectTimeout = or(o.ConnectTimeout, 5*time.Second)
	p := c.ConnConfig.RuntimeParams
	p["statement_timeout"] = milliseconds(or(o.StatementTimeout, 30*time.Second))
	p["lock_timeout"] = milliseconds(or(o.LockTimeout, 10*time.Second))
	p["idle_in_transaction_session_timeout"] = milliseconds(or(o.IdleTimeout, time.Minute))
	p["synchronous_commit"] = "on" // what is acknowledged is durable
	p["timezone"] = "UTC"
	if p["application_name"] == "" {
		p["application_name"] = "blq"
	}
	// A call that is given up ends its statement in the database as well.
	c.ConnConfig.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: 3 * time.Second}
	}
}

func or(d, otherwise time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return otherwise
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(max(1, d.Milliseconds()), 10) }

// Close releases the store's connections, once those in use are given back.
func (s *Store) Close() error {
	s.pool.Close()
	return nil
}

// Stats says how the connections are used.
type Stats struct {
	Connections int           // open now
	InUse       int           // of them
	Most        int           // that may be open
	Acquired    int64         // times that one was taken, since the start
	Waited      int64         // of them, times that none was free
	WaitTime    time.Duration // spent waiting for one, in sum
	Queries     int           // statements of callers that run now
}

// Stats returns how the connections are used now.
func (s *Store) Stats() Stats {
	p := s.pool.Stat()
	return Stats{
		Connections: int(p.TotalConns()), InUse: int(p.AcquiredConns()), Most: int(p.MaxConns()),
		Acquired: p.AcquireCount(), Waited: p.EmptyAcquireCount(), WaitTime: p.EmptyAcquireWaitTime(), Queries: len(s.queries),
	}
}
