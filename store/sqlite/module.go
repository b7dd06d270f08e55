package sqlite

import (
	"database/sql"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
	"modernc.org/sqlite/vtab"
)

// module is the name of the SQLite module that implements the virtual tables over the rows of a slice. The database
// driver with this module has the same name.
const module = "blq_rows"

// register registers the module with the rows in l. The module gets a database driver of its own. A process may call
// register only once.
func register(l *loaded) error {
	d := &sqlite.Driver{}
	if err := d.RegisterModule(module, tables{l}); err != nil {
		return err
	}
	sql.Register(module, d)
	return nil
}

// tables implements the module with the tables of a slice.
type tables struct{ *loaded }

// Create implements vtab.Module.
func (m tables) Create(ctx vtab.Context, args []string) (vtab.Table, error) {
	if len(args) < 3 {
		return nil, fmt.Errorf("%s: %d arguments", module, len(args))
	}
	t := &table{slice: m.loaded, name: args[2], rows: m.runs}
	if t.name == "events" {
		t.rows = m.events
	}
	if err := ctx.Config(sqlite3.SQLITE_VTAB_INNOCUOUS); err != nil {
		return nil, err
	}
	return t, ctx.Declare(declaration(t.rows.fields))
}

// Connect implements vtab.Module.
func (m tables) Connect(ctx vtab.Context, args []string) (vtab.Table, error) {
	return m.Create(ctx, args)
}

// table is a virtual table.
type table struct {
	slice *loaded
	name  string
	rows  *rows
}

// BestIndex implements vtab.Table. If a column must be equal to a value, SQLite looks up rows by that column. BestIndex
// prefers the column with the run's ID.
func (t *table) BestIndex(info *vtab.IndexInfo) error {
	t.slice.needs(t.name, info.ColUsed)
	info.IdxNum, info.EstimatedCost, info.EstimatedRows = -1, 1e6, 100_000
	best := -1
	for i := range info.Constraints {
		c := &info.Constraints[i]
		c.ArgIndex = -1
		if c.Op == vtab.OpEQ && c.Usable && c.Column >= 0 && c.Column < len(t.rows.fields) &&
			(best < 0 || c.Column < info.Constraints[best].Column) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	c := &info.Constraints[best]
	c.ArgIndex = 0
	info.IdxNum, info.EstimatedCost, info.EstimatedRows = int64(c.Column), 100, 100
	if t.name == "runs" && c.Column == 0 {
		info.EstimatedCost, info.EstimatedRows = 1, 1
	}
	return nil
}

// Open implements vtab.Table.
func (t *table) Open() (vtab.Cursor, error) { return &cursor{t: t}, nil }

// Disconnect implements vtab.Table.
func (t *table) Disconnect() error { return nil }

// Destroy implements vtab.Table.
func (t *table) Destroy() error { return nil }

// cursor iterates over all rows, or over the rows of a lookup.
type cursor struct {
	t     *table
	found []int
	all   bool
	i     int
}

// Filter implements vtab.Cursor.
func (c *cursor) Filter(column int, _ string, values []vtab.Value) error {
	if err := c.t.slice.fill(); err != nil {
		return err
	}
	c.i, c.all, c.found = 0, true, nil
	if column >= 0 && column < len(c.t.rows.columns) && len(values) == 1 {
		var ok bool
		c.found, ok = c.t.rows.columns[column].having(values[0], c.t.rows.n)
		c.all = !ok
	}
	return nil
}

// Next implements vtab.Cursor.
func (c *cursor) Next() error {
	c.i++
	return nil
}

// Eof implements vtab.Cursor.
func (c *cursor) Eof() bool {
	if c.all {
		return c.i >= c.t.rows.n
	}
	return c.i >= len(c.found)
}

func (c *cursor) row() int {
	if c.all {
		return c.i
	}
	return c.found[c.i]
}

// Column implements vtab.Cursor.
func (c *cursor) Column(column int) (vtab.Value, error) {
	if column < 0 || column >= len(c.t.rows.fields) {
		return nil, fmt.Errorf("no column %d", column)
	}
	return c.t.rows.columns[column].at(c.row()), nil
}

// Rowid implements vtab.Cursor.
func (c *cursor) Rowid() (int64, error) { return int64(c.row()), nil }

// Close implements vtab.Cursor.
func (c *cursor) Close() error { return nil }
