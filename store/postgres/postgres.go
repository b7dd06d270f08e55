// Package postgres implements store.Store for a service, in a PostgreSQL database of version 15 or later. Several
// replicas may use the database at the same time. The package stores nothing outside of the database.
package postgres

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/sqlite/cage"
)

// Store is a store.Store in a PostgreSQL database. Its methods may be called
// from several goroutines.
type Store struct {
	pool     *gated
	cage     *cage.Cage // limits the processes in which Query runs statements
	together together
}

var _ store.Store = (*Store)(nil)

// Options are the limits of a Store. Zero fields mean the defaults.
type Options struct {
	Connections int          // max open connections; default: pool_max_conns of the URL, or else at least 12
	Queries     cage.Options // limits of Query
	Warm        bool         // opens all connections in advance
	// Enter decides which call gets the next connection; nil means the order of the calls.
	Enter Enter

	statement time.Duration // max time of a statement, default 30 s
	lock      time.Duration // max time to wait for a lock, default 10 s
}

// Open returns the store in the database at a URL or a libpq connection string. It does not wait for a connection. So
// Open succeeds even if the database is down; then Ready and the other methods fail. Invalid: the URL cannot be parsed.
func Open(ctx context.Context, url string, o Options) (*Store, error) {
	c, err := pgxpool.ParseConfig(url)
	if err != nil { // the error does not contain the password
		return nil, store.Hint(store.Errorf(store.Invalid, "database URL: %w", err),
			"postgres://user:password@host:5432/database is the form of a database URL")
	}
	configure(c, o)
	pool, err := pgxpool.NewWithConfig(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", failure(ctx, err))
	}
	if o.Enter == nil {
		o.Enter = func(context.Context) (func(), error) { return func() {}, nil }
	}
	return &Store{pool: &gated{pool, o.Enter}, cage: cage.New(o.Queries)}, nil
}

// connections is the lowest limit of open connections if neither the options nor the URL set the limit. Long requests
// leave some connections to short requests.
const connections = 12

func configure(c *pgxpool.Config, o Options) {
	switch {
	case o.Connections > 0:
		c.MaxConns = int32(o.Connections)
	case !strings.Contains(c.ConnString(), "pool_max_conns"):
		c.MaxConns = max(c.MaxConns, connections)
	}
	if o.Warm {
		c.MinConns = c.MaxConns
	}
	c.ConnConfig.ConnectTimeout = 5 * time.Second
	p := c.ConnConfig.RuntimeParams
	p["statement_timeout"] = milliseconds(cmp.Or(o.statement, 30*time.Second))
	p["lock_timeout"] = milliseconds(cmp.Or(o.lock, 10*time.Second))
	p["idle_in_transaction_session_timeout"] = milliseconds(time.Minute) // max time between two statements
	p["synchronous_commit"] = "on"                                       // make committed data durable
	p["timezone"] = "UTC"
	if p["application_name"] == "" {
		p["application_name"] = "blq"
	}
	// If the ctx of a call ends, the statement of the call ends in the database, too.
	c.ConnConfig.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: 3 * time.Second}
	}
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(max(1, d.Milliseconds()), 10) }

// Close waits for running calls, and closes all connections.
func (s *Store) Close() error {
	s.cage.Close()
	s.pool.Close()
	return nil
}

// Stats holds numbers about connections and their use.
type Stats struct {
	Connections int           // open connections
	InUse       int           // connections in use
	Max         int           // limit of open connections
	Acquired    int64         // number of times that a call took a connection
	Waited      int64         // number of times that a call had to wait for a connection
	WaitTime    time.Duration // total time of waiting for a connection
	Queries     int           // running calls of Query
}

// Stats returns the present use of the connections.
func (s *Store) Stats() Stats {
	p := s.pool.Stat()
	return Stats{
		Connections: int(p.TotalConns()), InUse: int(p.AcquiredConns()), Max: int(p.MaxConns()),
		Acquired: p.AcquireCount(), Waited: p.EmptyAcquireCount(), WaitTime: p.EmptyAcquireWaitTime(),
		Queries: s.cage.Working(),
	}
}
