package action

import (
	"context"
	"slices"

	"github.com/blq-ci/blq/ingest/client"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// compare asks the server which errors of a run are new. The job's own store cannot answer this, because it has only
// the runs of this job. If the server does not answer, the report marks no error as new.
func (s *wrapped) compare(ctx context.Context, f *markdown.Facts, sent client.Pushed) {
	if !sent.Complete || s.send.to == nil {
		return
	}
	var answer query.Check
	if err := s.send.to.Get(ctx, "/v1/runs/"+f.Run.Attempt+"/check", nil, &answer); err != nil {
		s.Say("which errors are new is not known: %v", err)
		return
	}
	if len(answer.Runs) == 1 {
		moveNew(f, answer.Runs[0])
	}
}

// moveNew divides f.New: errors that the server reports as new stay there, and the other errors move to f.Known.
func moveNew(f *markdown.Facts, c query.RunCheck) {
	base, err := store.ParseRef(c.Baseline.RunRef)
	if c.Baseline.Kind == store.BaselineNone || err != nil || c.New == nil {
		return
	}
	f.Baseline = store.Baseline{
		Kind: c.Baseline.Kind, Branch: c.Baseline.Branch, Commit: c.Baseline.Commit,
		Run: store.Run{Repo: base.Repo, Source: base.Source, Serial: base.Serial, Attempt: "there"},
	}
	fresh := map[int]bool{}
	for _, e := range c.Events {
		if ref, err := store.ParseRef(e.Ref); err == nil {
			fresh[ref.Event] = true
		}
	}
	all := f.New
	f.New, f.Known = nil, nil
	for _, g := range all {
		isNew, known := split(g, fresh)
		f.New, f.Known = append(f.New, isNew...), append(f.Known, known...)
	}
	f.NewErrors = *c.New
	f.KnownErrors = max(0, f.Run.Errors-f.NewErrors)
}

// rename replaces the ref of a run in the facts by the run's ref on the server.
func rename(f *markdown.Facts, there string) {
	ref, err := store.ParseRef(there)
	if there == "" || err != nil {
		return
	}
	f.Run.Repo, f.Run.Source, f.Run.Serial = ref.Repo, ref.Source, ref.Serial
	for _, groups := range [][]markdown.Group{f.New, f.Known} {
		for i := range groups {
			groups[i].Sample.Run = ref
			for j := range groups[i].Others {
				groups[i].Others[j].Run = ref
			}
		}
	}
}

// split divides a group into a group of new errors and a group of known errors. Each result has at most one group.
// fresh holds the IDs of the new errors.
func split(g markdown.Group, fresh map[int]bool) (isNew, known []markdown.Group) {
	members := append([]store.RunEvent{g.Sample}, g.Others...)
	of := func(want bool) []markdown.Group {
		list := slices.DeleteFunc(slices.Clone(members), func(e store.RunEvent) bool { return fresh[e.ID] != want })
		if len(list) == 0 {
			return nil
		}
		one := markdown.Group{Sample: list[0], Others: list[1:]}
		if list[0].ID == g.Sample.ID {
			one.Log = g.Log
		}
		return []markdown.Group{one}
	}
	return of(true), of(false)
}
