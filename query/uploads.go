package query

import (
	"context"

	"github.com/blq-ci/blq/store"
)

// UploadsParams select runs, ordered by their arrival.
type UploadsParams struct {
	Source string
	Repo   string
	Before int // only runs with a lower serial
	Limit  int
}

// Upload describes an uploaded run: who sent it, the size of its log, and the tools in its log.
type Upload struct {
	RunRef   string
	Status   store.Status
	Received string // time of arrival, by the store's clock
	CI       *store.CI
	Hostname string
	Bytes    int64
	Lines    int
	Errors   int
	Warnings int
	Format   string // format that the user named, "" for all
	Tools    []Tool // tools with events, most events first
	Looked   int    // number of events that Tools includes
	Tests    store.TestSum
	Lost     string // parts of the log that were not recorded
	// Unread is the number of lines that mention a failure but belong to no event. It is nil if not the whole log was
	// searched. A long log is not searched.
	Unread *int
}

// Tool is a tool with the number of its events.
type Tool struct {
	Name   string
	Events int
}

const (
	uploadEvents = 200       // max events of a run that are read to count tools
	uploadShort  = 128 << 10 // max bytes of a log that is searched at once
)

// Uploads lists uploaded runs in the order of their arrival, newest first.
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
	runs, err := a.reader().Runs(ctx, a.Scope, f)
	if err != nil {
		return nil, err
	}
	return a.uploads(ctx, runs)
}

// Upload returns who uploaded a run, and what the run's log contains.
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
			if err == nil && found.Rest == 0 { // if the log cannot be searched, the page of the run shows the reason
				u.Unread = &found.Count
			}
		}
		list = append(list, u)
	}
	return list, nil
}

// tools sets the number of events of each tool in u. It reads at most the first uploadEvents events of the run.
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
