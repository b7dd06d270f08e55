package query

import (
	"context"

	"github.com/blq-ci/blq/store"
)

// UploadsParams select runs by when they arrived.
type UploadsParams struct {
	Source string
	Repo   string
	Before int // only runs with a lower serial
	Limit  int
}

// Upload is a run as it arrived: from whom, how large, and what was read from its log.
type Upload struct {
	RunRef   string
	Status   store.Status
	Received string // by the store's clock
	CI       *store.CI
	Hostname string
	Bytes    int64
	Lines    int
	Errors   int
	Warnings int
	Format   string // that the user named, "" for all
	Tools    []Tool // tools whose events were read, most events first
	Looked   int    // events whose tools were counted
	Tests    store.TestSum
	Lost     string // what was not recorded
	// Unread counts the lines that Unread finds in a short log; nil for a longer one.
	Unread *int
}

// Tool counts the events of a tool.
type Tool struct {
	Name   string
	Events int
}

const (
	uploadEvents = 200       // events of a run that are looked at for their tools
	uploadShort  = 128 << 10 // bytes of a log whose lines are looked at at once
)

// Uploads returns runs as they arrived, newest first.
func (a *Asker) Uploads(ctx context.Context, p UploadsParams) ([]Upload, error) {
	if err := a.sweep(ctx); err != nil {
		return nil, err
	}
	if p.Source != "" {
		if err := a.knownSource(ctx, p.Source); err != nil {
			return nil, err
		}
	}
	f := store.RunFilter{Source: p.Source, Before: p.Before, Limit: p.Limit}
	if err := a.at(ctx, At{Repo: p.Repo}, &f); err != nil {
		return nil, err
	}
	runs, err := a.Store.Runs(ctx, a.Scope, f)
	if err != nil {
		return nil, err
	}
	return a.uploads(ctx, runs)
}

// Upload returns a run as it arrived.
func (a *Asker) Upload(ctx context.Context, ref string) (Upload, error) {
	r, _, err := a.run(ctx, ref)
	if err != nil {
		return Upload{}, err
	}
	list, err := a.uploads(ctx, []store.Run{r})
	if err != nil {
		return Upload{}, err
	}
	return list[0], nil
}

func (a *Asker) uploads(ctx context.Context, runs []store.Run) ([]Upload, error) {
	blocks, err := a.Store.TestBlocks(ctx, a.Scope, attempts(runs), false)
	if err != nil {
		return nil, err
	}
	tests := map[store.Ref]store.TestSum{}
	for _, b := range blocks {
		tests[b.Run] = b.TestSum
	}
	list := make([]Upload, 0, len(runs))
	for _, r := range runs {
		received := r.OpenedAt
		if received.IsZero() {
			received = r.StartedAt
		}
		u := Upload{RunRef: r.Ref().String(), Status: r.Status(), Received: stamp(received), CI: cleanCI(r.CI),
			Hostname: Clean(r.Hostname), Bytes: r.Bytes, Lines: r.Lines, Errors: r.Errors, Warnings: r.Warnings,
			Format: Clean(r.Format), Tests: tests[r.Ref()], Lost: Clean(r.Lost)}
		if err := a.tools(ctx, r, &u); err != nil {
			return nil, err
		}
		if r.Bytes <= uploadShort {
			found, err := a.Unread(ctx, UnreadParams{Ref: r.Attempt})
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err == nil && found.Rest == 0 { // the run's own page says why a log cannot be looked at
				u.Unread = &found.Count
			}
		}
		list = append(list, u)
	}
	return list, nil
}

// tools counts the tools of the first events of a run.
func (a *Asker) tools(ctx context.Context, r store.Run, u *Upload) error {
	page, err := a.Store.Events(ctx, a.Scope, store.EventFilter{Runs: store.RunFilter{Attempts: []string{r.Attempt}},
		Limit: uploadEvents, Uncounted: true})
	counts := map[string]int{}
	for _, e := range page.Events {
		counts[Clean(e.Tool)]++
	}
	for _, name := range byCount(counts) {
		u.Tools = append(u.Tools, Tool{name, counts[name]})
	}
	u.Looked = len(page.Events)
	return err
}
