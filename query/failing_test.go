package query_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

// failing is a store with its objects. One of its reads may fail.
type failing struct {
	store.Reader
	chunk.Getter
	reads, fails int            // number of reads so far, and the number of the read that fails; 0 for none
	runs         map[string]int // number of reads of the runs of each filter
}

func try[T any](f *failing, read func() (T, error)) (T, error) {
	if f.reads++; f.reads == f.fails {
		var zero T
		return zero, errors.New("broken")
	}
	return read()
}

func (f *failing) Run(ctx context.Context, sc store.Scope, ref store.Ref) (store.Run, error) {
	return try(f, func() (store.Run, error) { return f.Reader.Run(ctx, sc, ref) })
}

func (f *failing) Runs(ctx context.Context, sc store.Scope, filter store.RunFilter) ([]store.Run, error) {
	if f.runs != nil {
		f.runs[fmt.Sprintf("%+v", filter)]++
	}
	return try(f, func() ([]store.Run, error) { return f.Reader.Runs(ctx, sc, filter) })
}

func (f *failing) Branches(ctx context.Context, sc store.Scope, repo string, limit int) ([]string, error) {
	return try(f, func() ([]string, error) { return f.Reader.Branches(ctx, sc, repo, limit) })
}

func (f *failing) Event(ctx context.Context, sc store.Scope, ref store.Ref) (r store.Run, e store.Event, err error) {
	e, err = try(f, func() (store.Event, error) {
		r, e, err = f.Reader.Event(ctx, sc, ref)
		return e, err
	})
	return r, e, err
}

func (f *failing) Events(ctx context.Context, sc store.Scope, filter store.EventFilter) (store.EventPage, error) {
	return try(f, func() (store.EventPage, error) { return f.Reader.Events(ctx, sc, filter) })
}

func (f *failing) Prints(ctx context.Context, sc store.Scope, p store.PrintFilter) ([]store.Print, error) {
	return try(f, func() ([]store.Print, error) { return f.Reader.Prints(ctx, sc, p) })
}

func (f *failing) FingerprintHistory(ctx context.Context, sc store.Scope, r store.Run, prints ...string) (
	store.FingerprintHistory, error) {
	return try(f, func() (store.FingerprintHistory, error) {
		return f.Reader.FingerprintHistory(ctx, sc, r, prints...)
	})
}

func (f *failing) Chunks(ctx context.Context, sc store.Scope, attempt, stream string, from, to int) (
	[]store.Chunk, error) {
	return try(f, func() ([]store.Chunk, error) { return f.Reader.Chunks(ctx, sc, attempt, stream, from, to) })
}

func (f *failing) Get(ctx context.Context, key string) ([]byte, error) {
	return try(f, func() ([]byte, error) { return f.Getter.Get(ctx, key) })
}

// If a read of the store fails, the whole answer is an error.
func TestAnswersAreWholeOrErrors(t *testing.T) {
	t.Parallel()
	f := placed(t)
	lint := []store.Event{undeclared("fresh", 1), undeclared("old", 2)}
	for i, git := range []store.Git{{Commit: "base", Branch: "main"}, {Commit: "b2", Branch: "topic"}} {
		f.Add(t, querytest.Run{Source: "lint", At: 50 + i, Exit: 1, Log: querytest.Lines("x", 3), Events: lint[1-i:],
			Git: &git})
	}
	areWhole(t, f.Asker, questionsOfAll)
}

func TestAnswersAboutLargeRunsAreWholeOrErrors(t *testing.T) {
	t.Parallel()
	s := engines["sqlite"](t)
	querytest.AddErrors(t, s, "base", 5100, 5100, 0)
	querytest.AddErrors(t, s, "head", 5200, 5000, 1)
	areWhole(t, &query.Asker{Store: s, Blobs: noBlobs{}, Scope: store.Everything()}, questionsOfMany)
}

// areWhole first asks each question without a failure, and checks that the question does not read the same runs twice.
// Then it asks the question once for each of its reads. Each time another read fails, and the result must be an error.
func areWhole(t *testing.T, a *query.Asker, questions func(context.Context, *query.Asker) map[string]func() error) {
	t.Helper()
	broken := &failing{Reader: a.Store, Getter: a.Blobs}
	a.Store, a.Blobs, a.Ancestry = broken, broken, branches{"b2": {"base"}}
	a.Stale = func(context.Context) error {
		_, err := try(broken, func() (int, error) { return 0, nil })
		return err
	}
	for name, ask := range questions(t.Context(), a) {
		broken.reads, broken.fails, broken.runs = 0, 0, map[string]int{}
		if err := ask(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for filter, n := range broken.runs {
			if n > 1 {
				t.Errorf("%s reads the same runs %d times: %s", name, n, filter)
			}
		}
		all := broken.reads
		broken.runs = nil
		for n := range all {
			broken.reads, broken.fails = 0, n+1
			if err := ask(); err == nil {
				t.Errorf("%s: read %d of %d failed, and there is an answer", name, n+1, all)
			}
		}
	}
}

func questionsOfMany(ctx context.Context, a *query.Asker) map[string]func() error {
	return map[string]func() error{
		"diff":  func() error { _, err := a.Diff(ctx, query.DiffParams{}); return err },
		"check": func() error { _, err := a.Check(ctx, query.CheckParams{FailOn: query.FailOnNewErrors}); return err },
		"brief": func() error { _, err := a.Brief(ctx, query.InfoParams{Limit: 5}); return err },
	}
}

// questionsOfAll returns questions about runs of some sources.
func questionsOfAll(ctx context.Context, a *query.Asker) map[string]func() error {
	topic := query.At{Branch: "topic"}
	return map[string]func() error{
		"status":       func() error { _, err := a.Status(ctx, query.StatusParams{}); return err },
		"status there": func() error { _, err := a.Status(ctx, query.StatusParams{At: topic}); return err },
		"newest":       func() error { _, err := a.Newest(ctx, topic); return err },
		"history": func() error {
			_, err := a.History(ctx, query.HistoryParams{Source: "lint", At: topic})
			return err
		},
		"events": func() error {
			_, err := a.Events(ctx, query.EventsParams{Source: "lint", At: topic})
			return err
		},
		"events of a run":  func() error { _, err := a.Events(ctx, query.EventsParams{Ref: "build:3"}); return err },
		"events of runs":   func() error { _, err := a.Events(ctx, query.EventsParams{RunIDs: []int{1, 3}}); return err },
		"triage":           func() error { _, err := a.Triage(ctx, query.TriageParams{}); return err },
		"triage of a run":  func() error { _, err := a.Triage(ctx, query.TriageParams{Ref: "build:3"}); return err },
		"triage without":   func() error { _, err := a.Triage(ctx, query.TriageParams{Ref: "test:4"}); return err },
		"triage of a step": func() error { _, err := a.Triage(ctx, query.TriageParams{Source: "lint"}); return err },
		"triage there":     func() error { _, err := a.Triage(ctx, query.TriageParams{At: topic}); return err },
		"diff":             func() error { _, err := a.Diff(ctx, query.DiffParams{}); return err },
		"diff of a step":   func() error { _, err := a.Diff(ctx, query.DiffParams{Source: "lint"}); return err },
		"diff of two": func() error {
			_, err := a.Diff(ctx, query.DiffParams{Run1: "build:1", Run2: "build:3"})
			return err
		},
		"diff since": func() error { _, err := a.Diff(ctx, query.DiffParams{Run1: "build:1"}); return err },
		"diff there": func() error { _, err := a.Diff(ctx, query.DiffParams{At: topic, Baseline: "main"}); return err },
		"check":      func() error { _, err := a.Check(ctx, query.CheckParams{}); return err },
		"check of new": func() error {
			_, err := a.Check(ctx, query.CheckParams{Run: "lint:11", FailOn: query.FailOnNewErrors})
			return err
		},
		"brief": func() error { _, err := a.Brief(ctx, query.InfoParams{Ref: "build:3", Context: 1}); return err },
		"brief with output": func() error {
			_, err := a.Brief(ctx, query.InfoParams{Ref: "build:3", Context: 1, Tail: 2})
			return err
		},
		"info": func() error {
			_, err := a.Info(ctx, query.InfoParams{Ref: "build:3", Tail: 1, Errors: true})
			return err
		},
		"result":           func() error { _, err := a.Result(ctx, "build:3", 2); return err },
		"result of a tail": func() error { _, err := a.Result(ctx, "test:4", 0); return err },
		"event":            func() error { _, err := a.EventDetails(ctx, query.EventParams{Ref: "build:3:1"}); return err },
		"inspect": func() error {
			_, err := a.Inspect(ctx, query.InspectParams{Ref: "build:3:1", Log: true, Fingerprint: true, Lines: 1})
			return err
		},
		"context":  func() error { _, err := a.Context(ctx, query.ContextParams{Ref: "build:3:2", Lines: 1}); return err },
		"failures": func() error { _, err := a.Failures(ctx, query.FailuresParams{}); return err },
		"failures there": func() error {
			_, err := a.Failures(ctx, query.FailuresParams{Source: "build", At: topic})
			return err
		},
		"output": func() error { _, err := a.Output(ctx, query.OutputParams{Ref: "build:3:1"}); return err },
		"output ends": func() error {
			_, err := a.Output(ctx, query.OutputParams{Ref: "build:3", Head: 1, Tail: 1})
			return err
		},
		"output grep": func() error { _, err := a.Output(ctx, query.OutputParams{Ref: "build:3", Grep: "foo"}); return err },
		"output tail": func() error { return a.WriteOutput(ctx, query.OutputParams{Ref: "build:3", Tail: 2}, io.Discard) },
		"output all":  func() error { return a.WriteOutput(ctx, query.OutputParams{Ref: "build:3"}, io.Discard) },
		"output raw":  func() error { return a.RawOutput(ctx, "build:3", "", io.Discard) },
		"raw":         func() error { _, err := a.Raw(ctx, query.RawParams{Ref: "build:3"}); return err },
		"follow":      func() error { return a.Follow(ctx, query.OutputParams{Ref: "build:3", Tail: 2}, io.Discard) },
	}
}
