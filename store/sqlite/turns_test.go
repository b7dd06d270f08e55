package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/store"
)

// gate lets in one call at a time, and refuses a second one.
type gate struct{ inside, entered int }

var errShut = errors.New("the gate is shut")

func (g *gate) enter(context.Context) (func(), error) {
	if g.inside > 0 {
		return nil, errShut
	}
	g.inside++
	g.entered++
	return func() { g.inside-- }, nil
}

func TestEveryCallTakesOneTurn(t *testing.T) {
	t.Parallel()
	ctx, all := t.Context(), store.Everything()
	s := open(t, filepath.Join(t.TempDir(), "blq.db"))
	var reads, writes gate
	s.TakeTurns(reads.enter, writes.enter, 4)
	const attempt = "01999999-0000-7000-8000-00000000abcd"
	run, err := s.StartRun(ctx, store.Run{Attempt: attempt, Repo: "o/a", Source: "build", StartedAt: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	e := store.Event{ID: 1, Severity: store.SeverityError, Message: "no"}
	e.Fingerprint, e.Pattern = store.Fingerprint(e), store.Pattern(e)
	ref := store.Ref{Attempt: attempt}
	commit, digest, now := strings.Repeat("c", 40), strings.Repeat("d", 64), time.Now()
	if _, err := s.AddObjects(ctx, "o/a", []store.Object{{Digest: digest, Key: "k", At: now}}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.AddSnapshot(ctx, store.Snapshot{Repo: "o/a", Commit: commit, Kind: store.FactDocs, Manifest: digest,
		CreatedAt: now}, nil, []string{digest}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AddSourceVersion(ctx, store.SourceVersion{Repo: "o/a", Alias: "lib", Digest: digest,
		Key: "k", FetchedAt: now}, true); err != nil {
		t.Fatal(err)
	}
	token := store.Token{ID: "t", Hash: bytes.Repeat([]byte{1}, 32), Owners: []string{"o"},
		Scopes: []store.TokenScope{store.ScopeRead}}
	if err := s.CreateToken(ctx, token); err != nil {
		t.Fatal(err)
	}
	for name, call := range map[string]struct {
		gate *gate
		do   func() error
	}{
		"Heartbeat": {&writes, func() error { return s.Heartbeat(ctx, attempt, time.Now()) }},
		"AddEvents": {&writes, func() error { return s.AddEvents(ctx, attempt, 0, []store.Event{e}) }},
		"Run":       {&reads, func() error { return second(s.Run(ctx, all, ref)) }},
		"Runs":      {&reads, func() error { return second(s.Runs(ctx, all, store.RunFilter{Newest: true})) }},
		"Events":    {&reads, func() error { return second(s.Events(ctx, all, store.EventFilter{Limit: 1})) }},
		"Received":  {&reads, func() error { return second(s.Received(ctx, all, attempt)) }},
		"Chunks": {&reads, func() error {
			return second(s.Chunks(ctx, all, attempt, store.StreamCombined, 1, 0))
		}},
		"Prints": {&reads, func() error {
			return second(s.Prints(ctx, all, store.PrintFilter{Attempt: attempt, Limit: 10}))
		}},
		"history":     {&reads, func() error { return second(s.FingerprintHistory(ctx, all, run, e.Fingerprint)) }},
		"FileDigests": {&reads, func() error { return second(s.FileDigests(ctx, all, attempt)) }},
		"Running":     {&reads, func() error { return second(s.Running(ctx, all, "o/a")) }},
		"Branches": {&reads, func() error {
			return second(s.Branches(ctx, all, "o/a", 10))
		}},
		"Crowded": {&reads, func() error { return second(s.Crowded(ctx, "o/a", 10)) }},
		"NearestSnapshot": {&reads, func() error {
			_, _, err := s.NearestSnapshot(ctx, all, store.SnapshotAt{Repo: "o/a", Commit: commit, Kind: store.FactDocs})
			return err
		}},
		"Snapshots": {&reads, func() error { return second(s.Snapshots(ctx, all, store.SnapshotFilter{Repo: "o/a"})) }},
		"NamedCommit": {&reads, func() error {
			return second(s.NamedCommit(ctx, all, store.CommitName{Repo: "o/a", Prefix: commit[:7]}))
		}},
		"Objects":        {&reads, func() error { return second(s.Objects(ctx, all, "o/a", []string{digest})) }},
		"Sources":        {&reads, func() error { return second(s.Sources(ctx, all, "o/a")) }},
		"SourceVersions": {&reads, func() error { return second(s.SourceVersions(ctx, all, "o/a", "lib")) }},
		"TokenByHash": {&reads, func() error {
			_, _, err := s.TokenByHash(ctx, token.Hash)
			return err
		}},
		"Usage": {&reads, func() error {
			_, _, err := s.Usage(ctx, "o/a")
			return err
		}},
	} {
		before := call.gate.entered
		if err := call.do(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if call.gate.entered != before+1 || call.gate.inside != 0 {
			t.Errorf("%s took %d turns, and kept %d", name, call.gate.entered-before, call.gate.inside)
		}
		call.gate.inside = 1
		if err := call.do(); !errors.Is(err, errShut) {
			t.Errorf("%s did not wait for its turn: %v", name, err)
		}
		call.gate.inside = 0
	}
}

func second[T any](_ T, err error) error { return err }
