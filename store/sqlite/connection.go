package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"
	"time"

	"modernc.org/sqlite"
)

// openDB returns a database whose connections keep prepared statements.
func openDB(dsn string) (*sql.DB, error) {
	c, err := sqlite.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(keeping{c}), nil
}

// keeping opens connections that keep prepared statements.
type keeping struct{ driver.Connector }

// Connect implements driver.Connector.
func (k keeping) Connect(ctx context.Context) (driver.Conn, error) {
	base, err := k.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	c, ok := base.(driverConn)
	if !ok {
		return nil, fmt.Errorf("connections of type %T cannot keep statements", base)
	}
	return &connection{driverConn: c, idle: map[string]kept{}}, nil
}

// driverConn has the methods that the driver's connections have. A connection must have all of them, too.
type driverConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
	IsReadOnly(schema string) (bool, error)
}

// maxKept is the max number of unused prepared statements of a connection. A statement takes a few kilobytes.
const maxKept = 64

// connection is a connection that keeps prepared statements, because preparing a statement often takes longer than
// running it. A statement is in idle only while nobody uses it, so it has one user at a time. After a change of the
// schema, SQLite prepares a statement again by itself. database/sql never calls two methods of a connection or of its
// rows at the same time.
type connection struct {
	driverConn
	idle map[string]kept // unused statements by their text
	uses int             // number of uses of statements so far
	busy time.Duration   // the time that setBusy has set, 0 for none
}

// kept is an unused prepared statement.
type kept struct {
	driver.Stmt
	used int // value of connection.uses when this statement was last used
}

// isKept reports whether a statement is worth keeping. Some pragmas take effect when they are prepared, so pragmas must
// be prepared each time.
func isKept(q string) bool {
	q = strings.TrimLeft(q, " \t\n")
	switch q[:max(0, strings.IndexAny(q, " \t\n"))] {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "WITH":
		return true
	}
	return false
}

// take returns a prepared statement that nobody else uses.
func (c *connection) take(ctx context.Context, q string) (driver.Stmt, error) {
	if p, ok := c.idle[q]; ok {
		delete(c.idle, q)
		return p.Stmt, nil
	}
	return c.PrepareContext(ctx, q)
}

// give keeps a statement after its use. It closes the statement if the statement failed, or if one with the same text
// is already kept. If there is no room, the least recently used statement is closed.
func (c *connection) give(q string, s driver.Stmt, failed error) error {
	if _, ok := c.idle[q]; ok || failed != nil {
		return s.Close()
	}
	var err error
	if len(c.idle) >= maxKept {
		err = c.forget()
	}
	c.uses++
	c.idle[q] = kept{s, c.uses}
	return err
}

// forget closes the least recently used statement.
func (c *connection) forget() error {
	var oldest string
	used := c.uses + 1
	for q, p := range c.idle {
		if p.used < used {
			oldest, used = q, p.used
		}
	}
	s := c.idle[oldest]
	delete(c.idle, oldest)
	return s.Close()
}

// ExecContext implements driver.ExecerContext.
func (c *connection) ExecContext(ctx context.Context, q string, args []driver.NamedValue) (driver.Result, error) {
	if !isKept(q) {
		return c.driverConn.ExecContext(ctx, q, args)
	}
	s, err := c.take(ctx, q)
	if err != nil {
		return nil, err
	}
	res, err := s.(driver.StmtExecContext).ExecContext(ctx, args)
	if closing := c.give(q, s, err); err == nil {
		err = closing
	}
	return res, err
}

// QueryContext implements driver.QueryerContext.
func (c *connection) QueryContext(ctx context.Context, q string, args []driver.NamedValue) (driver.Rows, error) {
	if !isKept(q) {
		return c.driverConn.QueryContext(ctx, q, args)
	}
	s, err := c.take(ctx, q)
	if err != nil {
		return nil, err
	}
	rows, err := s.(driver.StmtQueryContext).QueryContext(ctx, args)
	if err != nil {
		_ = s.Close() // the error of Close repeats err
		return nil, err
	}
	return &keptRows{rows, c, q, s}, nil
}

// keptRows are the rows of a kept statement. Close ends the statement's use.
type keptRows struct {
	driver.Rows
	conn *connection
	q    string
	s    driver.Stmt
}

// Close implements driver.Rows.
func (r *keptRows) Close() error {
	err := r.Rows.Close()
	if given := r.conn.give(r.q, r.s, err); err == nil {
		err = given
	}
	return err
}

// Close implements driver.Conn. SQLite keeps a connection open that has prepared statements.
func (c *connection) Close() error {
	for q, s := range c.idle {
		_ = s.Close() // Close repeats the error of the statement's last use, which was returned then
		delete(c.idle, q)
	}
	return c.driverConn.Close()
}

// setBusy sets how long the connection waits for a lock that another process holds. The wait may be up to a quarter
// shorter than d.
func (c *connection) setBusy(ctx context.Context, d time.Duration) error {
	d = max(0, d).Truncate(time.Millisecond)
	if c.busy != 0 && c.busy <= d && c.busy >= d*3/4 {
		return nil
	}
	if d > 4*time.Second {
		d = d.Truncate(time.Second)
	}
	c.busy = 0
	if _, err := c.ExecContext(ctx, fmt.Sprintf(`PRAGMA busy_timeout = %d`, d.Milliseconds()), nil); err != nil {
		return err
	}
	c.busy = d
	return nil
}
