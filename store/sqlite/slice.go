package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/sqlite/cage"
)

// Loader adds the rows of a Slice. Slice.Query calls the Loader when the statement needs rows, at most once.
type Loader func(ctx context.Context, s *Slice, n Need) error

// Need lists the columns that a statement reads from a slice. A loader may leave out all other columns.
type Need struct {
	// Runs holds columns of runs, nil for none: id, serial, repo, source, ref, attempt, command, cwd, state, reason,
	// exit_code, signal, lost, started_at, finished_at, errors, warnings, git_commit, git_branch, git_dirty, hostname,
	// platform, arch, ci and pr.
	Runs []string
	// Events holds columns of events, nil for no events: run_id, id, severity, file, line, col, message, tool,
	// category, code, test, fingerprint, pattern, log_line and log_line_end.
	Events []string
}

// Slice holds runs and events of another store. A statement can run over a Slice in the same way as over a Store, with
// the same relations and the same protection. The Slice sends its rows to the process of the statement.
type Slice struct {
	load Loader
	conn *cage.Conn
	need [2][]bool // columns of runs and of events that the statement reads
	err  error     // first error of sending rows

	runs, events []byte // rows that are not sent yet
}

// NewSlice returns a slice. The loader load adds the rows of the slice.
func NewSlice(load Loader) *Slice { return &Slice{load: load} }

// sliceRuns are the columns of runs that the relations use.
var sliceRuns = []columnDef{
	{"id", "INTEGER"}, {"serial", "INTEGER"}, {"repo", "TEXT"}, {"source", "TEXT"}, {"ref", "TEXT"}, {"attempt", "TEXT"},
	{"command", "TEXT"}, {"cwd", "TEXT"}, {"state", "TEXT"}, {"reason", "TEXT"}, {"exit_code", "INTEGER"},
	{"signal", "TEXT"}, {"lost", "TEXT"},
	{"started_at", "INTEGER"}, {"finished_at", "INTEGER"}, {"errors", "INTEGER"}, {"warnings", "INTEGER"},
	{"git_commit", "TEXT"}, {"git_branch", "TEXT"}, {"git_dirty", "INTEGER"}, {"hostname", "TEXT"}, {"platform", "TEXT"},
	{"arch", "TEXT"},
	{"ci", "TEXT"}, {"pr", "INTEGER"},
}

// sliceEvents are the columns of events that the relations use, numbers first.
var sliceEvents = []columnDef{
	{"run_id", "INTEGER"}, {"id", "INTEGER"}, {"line", "INTEGER"}, {"col", "INTEGER"}, {"log_line", "INTEGER"},
	{"log_line_end", "INTEGER"},
	{"fingerprint", "INTEGER"}, {"pattern", "INTEGER"},
	{"severity", "TEXT"}, {"file", "TEXT"}, {"message", "TEXT"}, {"tool", "TEXT"}, {"category", "TEXT"}, {"code", "TEXT"},
	{"test", "TEXT"},
}

// named reports for each column whether names contains it.
func named(columns []columnDef, names []string) []bool {
	list := make([]bool, len(columns))
	for i, f := range columns {
		list[i] = slices.Contains(names, f.Name)
	}
	return list
}

// AddRun adds a run with an ID. Each ID must be higher than the previous ID. A field that is not needed may be zero.
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
	for i, v := range []any{id, int64(r.Serial), r.Repo, r.Source, fmt.Sprintf("%s:%d", r.Source, r.Serial), r.Attempt,
		r.Command, r.Cwd, string(r.State), string(r.Reason), code, r.Signal, r.Lost,
		micros(r.StartedAt), micros(r.FinishedAt), int64(r.Errors), int64(r.Warnings),
		r.Git.Commit, r.Git.Branch, int64(dirty), r.Hostname, r.Platform, r.Arch,
		ci, int64(pr)} {
		if s.need[0][i] {
			s.runs = appendValue(s.runs, v)
		}
	}
	if len(s.runs) >= batch {
		s.flush(frameRun, &s.runs)
	}
	return s.err
}

// Event is an event in the form that stores use.
type Event struct {
	store.Event
	Run                  int64
	Fingerprint, Pattern int64 // numbers of the fingerprint and pattern, see store.FingerprintHash
}

// AddEvent adds an event. A field that is not needed may be zero. Callers must add events in the order of their runs.
// The events of a run must be in the order of their IDs.
func (s *Slice) AddEvent(e *Event) {
	numbers := [...]int64{e.Run, int64(e.ID), int64(e.Line), int64(e.Column), int64(e.LogLine), int64(e.LogLineEnd),
		e.Fingerprint, e.Pattern}
	for i, v := range numbers {
		if s.need[1][i] {
			s.events = appendInt(s.events, v)
		}
	}
	for i, v := range [...]string{string(e.Severity), e.File, e.Message, e.Tool, string(e.Category), e.Code, e.Test} {
		if s.need[1][len(numbers)+i] {
			s.events = appendText(s.events, v)
		}
	}
	if len(s.events) >= batch {
		s.flush(frameEvent, &s.events)
	}
}

// Query runs a statement in a cage. It returns the errors of store.Reader and errors of the loader.
func (s *Slice) Query(ctx context.Context, c *cage.Cage, q store.Query) (store.Table, error) {
	return ask(ctx, c, opening{All: true}, q, s)
}

// fill sends the rows that a statement needs.
func (s *Slice) fill(ctx context.Context, c *cage.Conn, n Need) error {
	s.conn, s.need = c, [2][]bool{named(sliceRuns, n.Runs), named(sliceEvents, n.Events)}
	err := s.load(ctx, s, n)
	if s.err != nil {
		return s.err // a row could not be sent, and the loader may not return this error
	}
	if err != nil {
		return fmt.Errorf("query: %w", err)
	}
	s.flush(frameRun, &s.runs)
	s.flush(frameEvent, &s.events)
	if s.err != nil {
		return s.err
	}
	if err := c.Send(frameLoaded); err != nil {
		return err
	}
	return c.Flush()
}

// flush sends the rows in a buffer as a frame of the given kind.
func (s *Slice) flush(kind byte, rows *[]byte) {
	if s.err == nil && len(*rows) > 0 {
		s.err = s.conn.Send(kind, *rows)
	}
	*rows = (*rows)[:0]
}

// declaration returns the SQL statement that declares a table with the given columns.
func declaration(fields []columnDef) string {
	list := make([]string, len(fields))
	for i, f := range fields {
		list[i] = f.Name + " " + f.Type
	}
	return "CREATE TABLE x (" + strings.Join(list, ", ") + ")"
}
