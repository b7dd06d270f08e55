package query

import (
	"context"
	"iter"

	"github.com/blq-ci/blq/store"
)

// printsAtOnce is the max number of prints in one read of the store. A print holds the fields of an error that
// comparisons need. Other callers may have to wait until a read ends.
const printsAtOnce = 5000

// detail selects the fields of prints that are read. ID, fingerprint and category are always read.
type detail int

const (
	bare   detail = iota // only ID, fingerprint and category
	whole                // all fields except Brief
	briefs               // all fields; Brief is the fingerprint that an earlier version recorded
)

// prints reads the prints of a run's errors in log order. A print holds the fields of an error that comparisons need.
// The fingerprints follow the rules of this version of blq.
func (a *Asker) prints(ctx context.Context, r store.Run, d detail) iter.Seq2[store.Print, error] {
	return func(yield func(store.Print, error) bool) {
		for after := 0; ; {
			page, err := a.Store.Prints(ctx, a.Scope, store.PrintFilter{Attempt: r.Attempt, After: after, Limit: printsAtOnce,
				Bare: d == bare})
			if err == nil && len(page) > 0 {
				err = a.update(ctx, r, page, after, d)
			}
			if err != nil {
				yield(store.Print{}, err)
				return
			}
			for _, p := range page {
				if !yield(p, nil) {
					return
				}
				after = p.ID
			}
			if len(page) < printsAtOnce {
				return
			}
		}
	}
}

// update computes the prints of a page again from the errors if the stored prints cannot be used. There are two cases:
// an earlier version of blq computed other fingerprints, or the caller needs the field Brief of a Labeled print. update
// compares only the first fingerprint, because the same version stored all errors of a page.
func (a *Asker) update(ctx context.Context, r store.Run, page []store.Print, after int, d detail) error {
	again := false
	for _, p := range page {
		again = again || d == briefs && p.Labeled
	}
	f := ofErrors(r)
	f.After, f.Limit = after, 1
	first, err := a.Store.Events(ctx, a.Scope, f)
	if err != nil {
		return err
	}
	if len(first.Events) > 0 {
		again = again || store.PrintOf(first.Events[0].Event).Fingerprint != page[0].Fingerprint
	}
	for i := 0; again && i < len(page); {
		f.Limit = min(errorsAtOnce, len(page)-i)
		passing, done := store.Passing(ctx)
		events, err := a.Store.Events(passing, a.Scope, f)
		if err != nil || len(events.Events) == 0 {
			return err
		}
		done()
		for _, e := range events.Events {
			page[i], f.After = store.PrintOf(e.Event), e.ID
			i++
		}
	}
	return nil
}

// ofErrors selects the errors of a run.
func ofErrors(r store.Run) store.EventFilter {
	return store.EventFilter{Runs: store.RunFilter{Attempts: []string{r.Attempt}},
		Severities: []store.Severity{store.SeverityError}, Uncounted: true}
}

// numbered reads the errors of a run with the given numbers.
func (a *Asker) numbered(ctx context.Context, r store.Run, ids []int) ([]store.RunEvent, error) {
	var list []store.RunEvent
	for len(ids) > 0 {
		f := ofErrors(r)
		n := min(len(ids), errorsAtOnce)
		f.IDs, ids = ids[:n], ids[n:]
		page, err := a.Store.Events(ctx, a.Scope, f)
		if err != nil {
			return nil, err
		}
		list = append(list, page.Events...)
	}
	return list, nil
}

// maxCompared is the max number of errors that a run in a comparison may have. Runs with more errors are not compared.
const maxCompared = 2_000_000

func checkSize(r store.Run) error {
	if r.Errors <= maxCompared {
		return nil
	}
	return store.Next(store.Errorf(store.TooLarge, "%s has %d errors; runs with more than %d are not compared", r.Ref(),
		r.Errors, maxCompared), store.NewCall("events", "", "ref", r.Ref(), "severity", "error"))
}
