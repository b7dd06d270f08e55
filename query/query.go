// Package query answers the questions that people and agents have about runs, and about the documents, code and
// contracts of repositories. Each question is a method with a struct of parameters. The JSON of an answer is a
// contract, because the command line and the MCP tools show it. The package uses the interfaces of store. It does not
// import an engine such as store/sqlite.
package query

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

// Asker answers questions from one store, for one caller.
type Asker struct {
	Store store.Reader
	Blobs chunk.Getter
	Scope store.Scope

	// Root is the directory of the project. If the work tree of a run is unknown or gone, the run's source files are
	// read from Root. If Root is "", no source files are read for any run.
	Root string
	// Git reads the history of files; it may be nil.
	Git Git
	// Hide removes secrets from a line of a source file; nil removes nothing.
	Hide func(string) string
	// HideText removes secrets from the text of documents and files that an answer quotes; nil removes nothing.
	HideText func(string) string
	// Ancestry returns the ancestors of commits, to find the baseline of a run. Ancestry may be nil.
	Ancestry store.Ancestry
	// Texts caches texts from logs. It may be nil.
	Texts *chunk.Texts
	// Parts caches values that later parts of an answer need. It may be nil.
	Parts *Parts
	// Searches is called before a search of a log. It waits until the search may start. The caller must call leave
	// after the search. Searches may be nil.
	Searches func(context.Context) (leave func(), err error)
	// Reads is called before a part of a log is read into memory. It waits until the read may start. The caller must
	// call leave after the read. Reads may be nil.
	Reads func(context.Context) (leave func(), err error)
	// Comparisons is called before large runs are compared. It waits until the comparison may start. The caller must
	// call leave after the comparison. Comparisons may be nil.
	Comparisons func(context.Context) (leave func(), err error)
	// Stale is called before questions whose answers depend on the states of runs. It finds runs whose recorder died,
	// and marks these runs. Stale may be nil.
	Stale func(context.Context) error
	// Defined returns the shapes of the registered commands that ran in the project, by name. The shape of the newest
	// definition of a command is the last one. Defined may be nil.
	Defined func() map[string][]string
	// Docs finds documentation; it may be nil.
	Docs *Docs
	// Graphs builds graphs from the facts that Docs finds; it may be nil.
	Graphs Graphs
	// Proposals opens pull requests; it may be nil.
	Proposals Proposals
	// Summaries posts the reports on pull requests; it may be nil.
	Summaries Summaries
	// Realms finds contracts between repositories; it may be nil.
	Realms Realms
	// Work stores sessions of realms, makes work trees, and reads the progress of changes. It may be nil.
	Work RealmWork
	// Page returns the URL of the page about a run, an event or lines of a log. Page is nil if there are no pages.
	// stream names the stream of the lines; "" means the stream that the page shows first.
	Page func(ref store.Ref, stream string) string
	// PastPage returns the URL of the page about a fingerprint in a repository. PastPage is nil if there are no pages.
	PastPage func(repo, fingerprint string) string
	// Now is the clock; nil means time.Now.
	Now func() time.Time

	lists *runLists // how lists of runs are read; nil reads them from the store
}

// now returns the present time.
func (a *Asker) now() time.Time {
	if a.Now != nil {
		return a.Now()
	}
	return time.Now()
}

// Git reads the history of the work tree.
type Git interface {
	// Blame returns who last changed a line of a file at a commit. If the commit is "", it reads the work tree.
	Blame(ctx context.Context, root, commit, file string, line int) (Blame, error)
	Show(ctx context.Context, root, commit, file string) ([]byte, error)
	// ChangedFiles returns the files that differ between the work tree and a commit.
	ChangedFiles(ctx context.Context, root, commit string) ([]string, error)
	// Branch returns the branch that is checked out, "" if there is none.
	Branch(root string) string
	// Branches returns the names of the branches, also of branches at remotes.
	Branches(ctx context.Context, root string) (map[string]bool, error)
	// OnBranches reports for each commit whether any branch contains it.
	OnBranches(ctx context.Context, root string, commits []string) (map[string]bool, error)
	// Inside reports for each of the given commits whether it is in the history of another commit. The history
	// includes the other commit itself. Commits for which this is unknown, for example in a shallow clone, are not in
	// the map.
	Inside(ctx context.Context, root, of string, commits []string) (map[string]bool, error)
	// SameFiles reports for each of the given commits whether it has the same files as another commit. It reports
	// false for unknown commits.
	SameFiles(ctx context.Context, root, of string, commits []string) (map[string]bool, error)
	RecentCommits(ctx context.Context, root, file string, n int) ([]Commit, error)
}

// Event is an event in an answer.
type Event struct {
	Ref         string         `json:"ref" jsonschema:"of the event, for inspect"`
	RunRef      string         `json:"run_ref,omitempty" jsonschema:"run it belongs to"`
	Severity    store.Severity `json:"severity,omitempty" jsonschema:"error, warning or info"`
	File        string         `json:"ref_file,omitempty" jsonschema:"path"`
	Line        int            `json:"ref_line,omitempty" jsonschema:"1-based"`
	Column      int            `json:"ref_column,omitempty" jsonschema:"1-based"`
	Message     string         `json:"message" jsonschema:"message of the tool"`
	Tool        string         `json:"tool_name,omitempty" jsonschema:"that reported it"`
	Category    store.Category `json:"category,omitempty" jsonschema:"compile, lint, test, …"`
	Fingerprint string         `json:"fingerprint,omitempty" jsonschema:"identity across runs"`
	LogLine     int            `json:"log_line,omitempty" jsonschema:"line of the log"`
	Stream      string         `json:"stream,omitempty" jsonschema:"stdout or stderr, where they are logs of their own" schema:"unlisted"`
	LogLineEnd  int            `json:"-"` // last log line of the event
}

func newEvent(e store.RunEvent) Event {
	return Event{
		Ref: e.Ref().Short(), RunRef: e.Run.String(), Severity: e.Severity, File: Clean(e.File), Line: e.Line,
		Column:  e.Column,
		Message: Clean(title(e.Event)), Tool: Clean(e.Tool), Category: e.Category, Fingerprint: e.Fingerprint,
		LogLine: e.LogLine, LogLineEnd: max(e.LogLine, e.LogLineEnd), Stream: e.Stream,
	}
}

// title returns the name of an event's test and the event's message. It leaves out the name if the message contains the
// name. It is for answers whose events have no field for the test.
func title(e store.Event) string {
	if e.Test == "" || strings.Contains(e.Message, e.Test) {
		return e.Message
	}
	if e.Message == "" {
		return e.Test
	}
	return e.Test + ": " + e.Message
}

// Location returns file:line. It leaves out a part that is "" or 0.
func Location(file string, line int) string {
	if file == "" || line == 0 {
		return file
	}
	return file + ":" + itoa(line)
}

// stamp returns a time in the format of answers, or "" for the zero time.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// run returns the run that a reference names, and the parsed reference. The reference "" names the newest run.
func (a *Asker) run(ctx context.Context, ref string) (store.Run, store.Ref, error) {
	if ref == "" {
		ref = "latest"
	}
	parsed, err := store.ParseRef(ref)
	if err != nil {
		return store.Run{}, parsed, err
	}
	r, err := a.find(ctx, parsed.Run())
	return r, parsed, err
}

// find returns the run that a reference names. If the reference is only a source, and the source has no runs, the error
// suggests a source with a similar name, if there is one.
func (a *Asker) find(ctx context.Context, ref store.Ref) (store.Run, error) {
	r, err := a.Store.Run(ctx, a.Scope, ref)
	if err != nil && ref.Serial == 0 && ref.Attempt == "" {
		err = a.meant(ctx, ref.Source, err)
	}
	return r, err
}

// log returns the reader of a run's log.
func (a *Asker) log(r store.Run, stream string) *chunk.Reader {
	if stream == "" {
		stream = store.StreamCombined
	}
	return chunk.NewReader(a.Store, a.Blobs, a.Scope, r, stream).Recent(a.Texts)
}

// root returns the directory with the files of a run. It returns "" if the files must not be read.
func (a *Asker) root(r store.Run) string {
	if a.Root == "" || r.Git.Root == "" {
		return a.Root
	}
	if info, err := os.Stat(r.Git.Root); err != nil || !info.IsDir() {
		return a.Root // the work tree has moved
	}
	return r.Git.Root
}

func (a *Asker) sweep(ctx context.Context) error {
	if a.Stale == nil {
		return nil
	}
	return a.Stale(ctx)
}
