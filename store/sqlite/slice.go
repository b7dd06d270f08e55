package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/blq-ci/blq/store"
)

// Loader adds the rows of a Slice. It is called once, when a statement needs them.
type Loader func(ctx context.Context, s *Slice, n Need) error

// Need is what a statement reads of a slice. A loader may leave out the rest.
type Need struct {
	Runs bool
	CI   bool // store.Run.CI of runs
	// Events are columns of events, nil for no events: run_id, id, severity, file,
	// line, col, message, tool, category, code, test, fingerprint, pattern, log_line
	// and log_line_end.
	Events []string
}

// Slice holds some runs and events of another store in memory. One statement can
// run over it as over a Store, with the same relations and the same guard.
type Slice struct {
	load Loader
	need Need
	ctx  context.Context // of the statement that runs
	done bool            // loaded
	err  error           // of loading

	runs, events *rows
}

// NewSlice returns a slice whose rows a loader adds.
func NewSlice(load Loader) *Slice {
	return &Slice{load: load, runs: newRows(sliceRuns), events: newRows(sliceEvents)}
}

// sliceRuns are the columns of runs that the relations are made of.
var sliceRuns = []columnDef{
	{"id", "INTEGER"}, {"serial", "INTEGER"}, {"repo", "TEXT"}, {"source", "TEXT"}, {"ref", "TEXT"}, {"attempt", "TEXT"},
	{"command", "TEXT"}, {"cwd", "TEXT"}, {"state", "TEXT"}, {"reason", "TEXT"}, {"exit_code", "INTEGER"},
	{"signal", "TEXT"},
	{"started_at", "INTEGER"}, {"finished_at", "INTEGER"}, {"errors", "INTEGER"}, {"warnings", "INTEGER"},
	{"git_commit", "TEXT"}, {"git_branch", "TEXT"}, {"git_dirty", "INTEGER"}, {"hostname", "TEXT"}, {"platform", "TEXT"},
	{"arch", "TEXT"},
	{"ci", "TEXT"}, {"pr", "INTEGER"},
}

// sliceEvents are the columns of events that the relations are made of, numbers first.
var sliceEvents = []columnDef{
	{"run_id", "INTEGER"}, {"id", "INTEGER"}, {"line", "INTEGER"}, {"col", "INTEGER"}, {"log_line", "INTEGER"},
	{"log_line_end", "INTEGER"},
	{"fingerprint", "INTEGER"}, {"pattern", "INTEGER"},
	{"severity", "TEXT"}, {"file", "TEXT"}, {"message", "TEXT"}, {"tool", "TEXT"}, {"category", "TEXT"}, {"code", "TEXT"},
	{"test", "TEXT"},
}

// ofCI has the bits of those columns of runs that come from store.Run.CI.
var ofCI = func() uint64 {
	var bits uint64
	for i, c := range sliceRuns {
		if c.Name == "ci" || c.Name == "pr" {
			bits |= 1 << i
		}
	}
	return bits
}()

// AddRun adds a run under an id. The ids of runs must grow.
func (s *Slice) AddRun(id int64, r store.Run) error {
	var ci, code any
	pr := 0
	if r.CI != nil {
		b, err := json.Marshal(r.CI)
		if err != nil {
			return fmt.Errorf("write ci: %w", err)
		}
		ci, pr = string(b), r.CI.PR
	}
	if r.ExitCode != nil {
		code = int64(*r.ExitCode)
	}
	dirty := 0
	if r.Git.Dirty {
		dirty = 1
	}
	s.runs.add(id, int64(r.Serial), r.Repo, r.Source, fmt.Sprintf("%s:%d", r.Source, r.Serial), r.Attempt,
		r.Command, r.Cwd, string(r.State), string(r.Reason), code, r.Signal,
		micros(r.StartedAt), micros(r.FinishedAt), int64(r.Errors), int64(r.Warnings),
		r.Git.Commit, r.Git.Branch, int64(dirty), r.Hostname, r.Platform, r.Arch,
		ci, int64(pr))
	return nil
}

// Event is an event as stores keep it.
type Event struct {
	store.Event
	Run                  int64
	Fingerprint, Pattern int64 // store.FingerprintHash of the event's
}

// AddEvent adds an event. Fields that are not needed may be zero. Events must be
// added in the order of their runs, and within a run in that of their ids.
func (s *Slice) AddEvent(e *Event) {
	numbers := [...]int64{e.Run, int64(e.ID), int64(e.Line), int64(e.Column), int64(e.LogLine), int64(e.LogLineEnd),
		e.Fingerprint, e.Pattern}
	for i, v := range numbers {
		s.events.columns[i].addInt(v)
	}
	for i, v := range [...]string{string(e.Severity), e.File, e.Message, e.Tool, string(e.Category), e.Code, e.Test} {
		s.events.columns[len(numbers)+i].addText(v)
	}
	s.events.n++
}

// Query runs a statement. Errors are those of store.Reader and of the loader.
func (s *Slice) Query(ctx context.Context, q store.Query) (store.Table, error) {
	text, err := statement(q.SQL)
	if err != nil {
		return store.Table{}, err
	}
	s.ctx = ctx
	if q.Timeout > 0 {
		var cancel context.CancelFunc
		s.ctx, cancel = context.WithTimeout(ctx, q.Timeout)
		defer cancel()
	}
	name, err := modules.register(s)
	if err != nil {
		return store.Table{}, fmt.Errorf("query: %w", err)
	}
	defer modules.forget(name)
	db, err := sql.Open(module, "file::memory:?_dqs=0"+caged)
	if err != nil {
		return store.Table{}, fmt.Errorf("query: %w", err)
	}
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return store.Table{}, fmt.Errorf("query: %w", err)
	}
	defer conn.Close()
	for _, table := range []string{"runs", "events"} {
		if _, err := conn.ExecContext(
			ctx, fmt.Sprintf(`CREATE VIRTUAL TABLE %s USING %s(%s)`, table, module, name)); err != nil {
			return store.Table{}, fmt.Errorf("query: %w", err)
		}
	}
	h, err := confine(ctx, conn, store.Everything())
	if err != nil {
		return store.Table{}, fmt.Errorf("query: %w", err)
	}
	t, err := h.answer(ctx, conn, text, q)
	switch {
	case s.err == nil:
		return t, err
	case s.ctx.Err() != nil && ctx.Err() == nil:
		return store.Table{}, tookTooLong(q)
	}
	return store.Table{}, fmt.Errorf("query: %w", s.err)
}

// fill loads the rows unless they are loaded. It runs when the statement begins to read, because only then the
// needed columns are known.
func (s *Slice) fill() error {
	if !s.done {
		s.done = true
		names := make(map[string]bool)
		for _, name := range s.need.Events {
			names[name] = true
		}
		s.events.keep(names)
		s.err = s.load(s.ctx, s, s.need)
	}
	if s.err != nil {
		return errors.New("the rows cannot be read")
	}
	return nil
}

// needs records that a statement reads columns of a table. used has a bit for each.
func (s *Slice) needs(table string, used uint64) {
	s.need.Runs = true
	if table != "events" {
		s.need.CI = s.need.CI || used&ofCI != 0
		return
	}
	names := map[string]bool{"run_id": true, "id": true}
	for _, name := range s.need.Events {
		names[name] = true
	}
	s.need.Events = s.need.Events[:0]
	for i, f := range sliceEvents {
		if names[f.Name] || used&(1<<i) != 0 {
			s.need.Events = append(s.need.Events, f.Name)
		}
	}
}

// declaration returns the statement that declares a table of columns.
func declaration(fields []columnDef) string {
	list := make([]string, len(fields))
	for i, f := range fields {
		list[i] = f.Name + " " + f.Type
	}
	return "CREATE TABLE x (" + strings.Join(list, ", ") + ")"
}
