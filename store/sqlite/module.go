package sqlite

import (
	"database/sql"
	"fmt"
	"strconv"
	"sync"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
	"modernc.org/sqlite/vtab"
)

// module is the name of the virtual tables over a Slice's rows, and of their driver.
const module = "blq_rows"

// modules finds the slice of a virtual table by its name.
var modules = &registry{slices: map[string]*Slice{}}

type registry struct {
	once   sync.Once
	err    error
	mu     sync.Mutex
	n      int
	slices map[string]*Slice
}

func (r *registry) register(s *Slice) (string, error) {
	r.once.Do(func() { r.err = r.drive() })
	if r.err != nil {
		return "", r.err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n++
	name := "s" + strconv.Itoa(r.n)
	r.slices[name] = s
	return name, nil
}

// drive registers the module with its own driver. With the driver of the stores this would race with connections
// that they open.
func (r *registry) drive() error {
	d := &sqlite.Driver{}
	if err := d.RegisterModule(module, r); err != nil {
		return err
	}
	sql.Register(module, d)
	return nil
}

func (r *registry) forget(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.slices, name)
}

// Create implements vtab.Module.
func (r *registry) Create(ctx vtab.Context, args []string) (vtab.Table, error) {
	if len(args) != 4 {
		return nil, fmt.Errorf("%s: %d arguments", module, len(args))
	}
	r.mu.Lock()
	s := r.slices[args[3]]
	r.mu.Unlock()
	if s == nil {
		return nil, fmt.Errorf("%s: no slice %s", module, args[3])
	}
	t := &table{slice: s, name: args[2], rows: s.runs}
	if t.name == "events" {
		t.rows = s.events
	}
	if err := ctx.Config(sqlite3.SQLITE_VTAB_INNOCUOUS); err != nil {
		return nil, err
	}
	return t, ctx.Declare(declaration(t.rows.fields))
}

// Connect implements vtab.Module.
func (r *registry) Connect(ctx vtab.Context, args []string) (vtab.Table, error) {
	return r.Create(ctx, args)
}

// table is a virtual table.
type table struct {
	slice *Slice
	name  string
	rows  *rows
}

// BestIndex implements vtab.Table. A column that must equal a value is looked up; the run's ID is preferred.
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

// cursor iterates over all rows, or over those that were looked up.
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
