package query

import (
	"context"
	"path/filepath"
	"time"

	"github.com/blq-ci/blq/store"
)

// InspectParams name the event, and select the facts to show with it.
type InspectParams struct {
	Ref         string `json:"ref" kind:"ref"`  // event, or a fingerprint: the newest event with it
	Lines       int    `json:"lines,omitempty"` // lines of context before and after
	Log         bool   `json:"log,omitempty"`
	Source      bool   `json:"source,omitempty"`
	Git         bool   `json:"git,omitempty"`
	Fingerprint bool   `json:"fingerprint,omitempty"`
	Docs        bool   `json:"docs,omitempty"`  // documentation that mentions the event
	Graph       bool   `json:"graph,omitempty"` // node in the architecture, and possible causes
}

// Inspection is an event with its surroundings.
type Inspection struct {
	Event
	URL           string              `json:"url,omitempty" jsonschema:"its page" schema:"unlisted"`
	Code          string              `json:"code,omitempty" jsonschema:"rule or error code"`
	Test          string              `json:"test_name,omitempty" jsonschema:"failed test"`
	LogContext    *LogContext         `json:"log_context,omitempty" jsonschema:"lines: line, text, is_event" schema:"open"`
	SourceContext *SourceContext      `json:"source_context,omitempty" jsonschema:"file, lines: line, text, is_error" schema:"open"`
	GitContext    *GitContext         `json:"git_context,omitempty" jsonschema:"file, line, blame: author, commit, time; recent_commits: hash, author, message" schema:"open"`
	Docs          []Mention           `json:"docs,omitempty" jsonschema:"docs: ref, heading, word" schema:"open"`
	Graph         *EventGraph         `json:"graph_context,omitempty" jsonschema:"node, changed_upstream, docs, suspects: commit, why, evidence" schema:"unlisted"`
	Seen          Seen                `json:"-"`
	History       *FingerprintHistory `json:"fingerprint_history,omitempty" jsonschema:"first_seen, last_seen: run_ref, time; occurrences; is_regression: back after a pass; came, went" schema:"open"`
}

// Seen identifies the state of the files at the time of a run.
type Seen struct {
	Commit string    `json:"commit,omitempty"`
	Dirty  bool      `json:"dirty,omitempty"`
	Ended  time.Time `json:"ended,omitzero"`
	Digest string    `json:"digest,omitempty"` // digest of the event's file, "" if unknown
}

// LogContext is the part of the log around an event.
type LogContext struct {
	Lines []ContextLine `json:"lines" jsonschema:"in order"`
}

// ContextLine is a line of a log or of a source file.
type ContextLine struct {
	Line    int    `json:"line" jsonschema:"1-based"`
	Text    string `json:"text" jsonschema:"as printed"`
	IsEvent bool   `json:"is_event,omitempty" jsonschema:"part of the event"`
	IsError bool   `json:"is_error,omitempty" jsonschema:"the line it points at"`
}

// SourceContext is the part of a source file at an event.
type SourceContext struct {
	File    string        `json:"file" jsonschema:"path"`
	Lines   []ContextLine `json:"lines" jsonschema:"in order"`
	Changed bool          `json:"changed_since,omitempty" jsonschema:"not as the run saw it"`
}

// GitContext is the history of the line and of the file at an event.
type GitContext struct {
	File   string   `json:"file" jsonschema:"path"`
	Line   int      `json:"line,omitempty" jsonschema:"1-based"`
	Blame  *Blame   `json:"blame,omitempty" jsonschema:"last change of the line"`
	Recent []Commit `json:"recent_commits,omitempty" jsonschema:"last changes of the file"`
}

// Blame is the last change of a line.
type Blame struct {
	Author string    `json:"author" jsonschema:"email"`
	Commit string    `json:"commit" jsonschema:"hash"`
	Time   time.Time `json:"time" jsonschema:"UTC"`
}

// Commit is a commit in brief.
type Commit struct {
	Hash    string   `json:"hash" jsonschema:"commit"`
	Author  string   `json:"author,omitempty" jsonschema:"email"`
	Message string   `json:"message" jsonschema:"first line"`
	Files   []string `json:"files,omitempty" jsonschema:"with errors"`
}

// FingerprintHistory says when and how often errors with one fingerprint have occurred.
type FingerprintHistory struct {
	Fingerprint string  `json:"fingerprint" jsonschema:"identity"`
	URL         string  `json:"url,omitempty" jsonschema:"its page" schema:"unlisted"`
	FirstSeen   SeenAt  `json:"first_seen" jsonschema:"oldest run with it"`
	LastSeen    *SeenAt `json:"last_seen,omitempty" jsonschema:"newest run before with it"`
	Occurrences int     `json:"occurrences" jsonschema:"events, up to this run"`
	Regression  bool    `json:"is_regression" jsonschema:"it was gone from a passing run and is back"`
	*Spread
}

// SeenAt is a run with an event, and the time of the run.
type SeenAt struct {
	RunRef string `json:"run_ref" jsonschema:"run"`
	Time   string `json:"time" jsonschema:"UTC"`
}

// DefaultContext is the default number of lines before and after an event.
const DefaultContext = 5

// Inspect returns an event with facts about its surroundings.
func (a *Asker) Inspect(ctx context.Context, p InspectParams) (Inspection, error) {
	r, e, err := a.event(ctx, p.Ref)
	if err != nil {
		return Inspection{}, err
	}
	in := Inspection{Event: newEvent(store.RunEvent{Event: e, Run: r.Ref()}), Code: Clean(e.Code), Test: Clean(e.Test),
		URL: a.PageOf(r.Ref().WithEvent(e.ID))}
	in.Ref, in.RunRef, in.Message, in.LogLine = r.Ref().WithEvent(e.ID).String(), "", Clean(e.Message), 0
	if p.Log {
		lines, err := a.around(ctx, r, e, p.Lines)
		if err != nil {
			return Inspection{}, err
		}
		in.LogContext = &LogContext{lines}
	}
	if p.Source || p.Git {
		digest, err := a.digest(ctx, r, e)
		if err != nil {
			return Inspection{}, err
		}
		in.Seen = Seen{r.Git.Commit, r.Git.Dirty, r.FinishedAt, digest}
	}
	if p.Source {
		in.SourceContext = a.source(ctx, r, e, in.Seen.Digest, p.Lines)
	}
	if p.Git {
		in.GitContext = a.git(ctx, r, e, in.Seen.Digest)
	}
	if p.Docs {
		in.Docs = a.mentions(ctx, r, e)
	}
	if p.Graph {
		if in.Graph, err = a.eventGraph(ctx, r, e); err != nil {
			return Inspection{}, err
		}
	}
	if p.Fingerprint {
		h, err := a.Store.FingerprintHistory(ctx, a.Scope, r, printsOf(e)...)
		if err != nil {
			return Inspection{}, err
		}
		in.History = &FingerprintHistory{
			Fingerprint: e.Fingerprint, Occurrences: h.Occurrences, Regression: h.Regression,
			FirstSeen: SeenAt{h.First.Ref().String(), stamp(h.First.StartedAt)},
		}
		if a.PastPage != nil {
			in.History.URL = a.PastPage(r.Repo, e.Fingerprint)
		}
		if h.Last.Serial > 0 {
			in.History.LastSeen = &SeenAt{h.Last.Ref().String(), stamp(h.Last.StartedAt)}
		}
		if in.History.Spread, err = a.spread(ctx, r, e); err != nil {
			return Inspection{}, err
		}
	}
	return in, nil
}

// Surround completes an Inspection from another server. It adds the git history and the source lines of the event from
// this machine. It reads files under Root.
func (a *Asker) Surround(ctx context.Context, in *Inspection, p InspectParams) {
	e := store.Event{File: in.File, Line: in.Line}
	r := store.Run{Git: store.Git{Commit: in.Seen.Commit, Dirty: in.Seen.Dirty},
		Ending: store.Ending{FinishedAt: in.Seen.Ended}}
	if p.Source && in.SourceContext == nil {
		in.SourceContext = a.source(ctx, r, e, in.Seen.Digest, p.Lines)
	}
	if p.Git && in.GitContext == nil {
		in.GitContext = a.git(ctx, r, e, in.Seen.Digest)
	}
}

// event returns the event that a reference or a fingerprint names. It also returns the event's run.
func (a *Asker) event(ctx context.Context, ref string) (store.Run, store.Event, error) {
	if r, e, is, err := a.named(ctx, ref); is {
		return r, e, err
	}
	parsed, err := store.ParseRef(ref)
	if err != nil {
		return store.Run{}, store.Event{}, err
	}
	if !parsed.IsEvent() {
		return store.Run{}, store.Event{}, store.Next(store.Errorf(store.Invalid, "%q names a run, not an event", ref),
			store.NewCall("events", "lists its events", "ref", ref))
	}
	return a.Store.Event(ctx, a.Scope, parsed)
}

// maxAround is the max number of lines of the event itself that around returns. It also returns lines before and
// after the event.
const maxAround = 5000

// around returns the log lines of an event, with n lines before and n lines after the event. For a very long event, it
// returns only the first lines.
func (a *Asker) around(ctx context.Context, r store.Run, e store.Event, n int) ([]ContextLine, error) {
	if e.LogLine == 0 {
		return []ContextLine{}, nil
	}
	last := min(max(e.LogLine, e.LogLineEnd), e.LogLine+maxAround)
	list := []ContextLine{}
	for l, err := range a.log(r, e.Stream).Scan(ctx, max(1, e.LogLine-n), last+n) {
		if err != nil {
			return list, err
		}
		list = append(
			list, ContextLine{Line: l.Number, Text: shown(l.Text), IsEvent: l.Number >= e.LogLine && l.Number <= last})
	}
	return list, nil
}

// git returns the last change of the event's line, and the last changes of the event's file. It returns nil if it finds
// no change.
func (a *Asker) git(ctx context.Context, r store.Run, e store.Event, digest string) *GitContext {
	root := a.root(r)
	if a.Git == nil || root == "" || e.File == "" || !filepath.IsLocal(filepath.FromSlash(e.File)) {
		return nil
	}
	g := &GitContext{File: Clean(e.File), Line: e.Line}
	if e.Line > 0 {
		g.Blame = a.blame(ctx, r, e, digest)
	}
	if recent, err := a.Git.RecentCommits(ctx, root, e.File, 3); err == nil {
		g.Recent = cleanCommits(recent)
	}
	if g.Blame == nil && len(g.Recent) == 0 {
		return nil
	}
	return g
}

// Context is the log around an event.
type Context struct {
	Ref   string        `json:"ref" jsonschema:"of the event"`
	Lines []ContextLine `json:"context_lines" jsonschema:"log around it"`
}

// ContextParams name an event, and the number of lines around it.
type ContextParams struct {
	Ref   string `json:"ref" kind:"ref"`
	Lines int    `json:"context_lines,omitempty"` // lines before and after
}

// Context returns the lines of the log around an event.
func (a *Asker) Context(ctx context.Context, p ContextParams) (Context, error) {
	r, e, err := a.event(ctx, p.Ref)
	if err != nil {
		return Context{}, err
	}
	lines, err := a.around(ctx, r, e, p.Lines)
	return Context{Ref: r.Ref().WithEvent(e.ID).String(), Lines: lines}, err
}
