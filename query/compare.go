package query

import (
	"context"
	"fmt"
	"iter"

	"github.com/blq-ci/blq/internal/nearest"
	"github.com/blq-ci/blq/store"
)

// Compare returns the baseline of a run, and the changes since the baseline. baseline may name a run, branch or commit,
// as in store.FindBaseline; "" means the default. If there is no baseline, the comparison is zero. Each list has at
// most limit items. If limit is 0, each list has all items, or for a large run the first maxChanges items.
func (a *Asker) Compare(ctx context.Context, head store.Run, baseline string, limit int) (
	store.Baseline, store.Comparison, error) {
	b, err := a.baseline(ctx, head, baseline)
	if err != nil || !b.Found() {
		return b, store.Comparison{}, err
	}
	c, err := a.compare(ctx, b.Run, head, limit)
	return b, c, err
}

// baseline returns the baseline of the run head. ref names the baseline as in
// store.FindBaseline; "" means the default.
func (a *Asker) baseline(ctx context.Context, head store.Run, ref string) (store.Baseline, error) {
	b, err := store.FindBaseline(ctx, a.reader(), a.Scope, head, ref, a.Ancestry)
	if err != nil {
		return store.Baseline{}, a.misnamed(ctx, head, ref, err)
	}
	return b, nil
}

func (a *Asker) compare(ctx context.Context, base, head store.Run, limit int) (store.Comparison, error) {
	if isLarge(base) || isLarge(head) {
		return a.compareLarge(ctx, base, head, limit)
	}
	return store.Compare(kept(a.eachError(ctx, base)), kept(a.eachError(ctx, head)), limit)
}

// kept returns an iterator over the same events that reads them only once. It keeps them in memory.
func kept(events iter.Seq2[store.RunEvent, error]) iter.Seq2[store.RunEvent, error] {
	var list []store.RunEvent
	read := false
	return func(yield func(store.RunEvent, error) bool) {
		if !read {
			for e, err := range events {
				if err != nil {
					list = nil
					yield(e, err)
					return
				}
				list = append(list, e)
			}
			read = true
		}
		for _, e := range list {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// errorsAtOnce is the max number of errors in one read of the store.
const errorsAtOnce = 5000

// eachError reads the errors of a run in log order.
func (a *Asker) eachError(ctx context.Context, r store.Run) iter.Seq2[store.RunEvent, error] {
	return func(yield func(store.RunEvent, error) bool) {
		if r.Errors == 0 && r.State == store.StateCompleted {
			return
		}
		f := ofErrors(r)
		f.Limit = errorsAtOnce
		for {
			page, err := a.Store.Events(ctx, a.Scope, f)
			if err != nil {
				yield(store.RunEvent{}, err)
				return
			}
			for _, e := range page.Events {
				if !yield(e, nil) {
					return
				}
				f.After = e.ID
			}
			if len(page.Events) < errorsAtOnce {
				return
			}
		}
	}
}

// errors returns the errors of a run in log order.
func (a *Asker) errors(ctx context.Context, r store.Run) ([]store.RunEvent, error) {
	page, err := a.Store.Events(ctx, a.Scope, ofErrors(r))
	return page.Events, err
}

// printsOf returns all fingerprints that runs may have stored for an event. The first follows today's rules. The
// others follow the rules of earlier versions of blq.
func printsOf(e store.Event) []string {
	return append([]string{e.Fingerprint}, store.EarlierFingerprints(e)...)
}

// misnamed extends the error about an unknown baseline: it suggests the branch with the most similar name. It returns
// other errors unchanged. If reading the branches fails, it returns the error of the read instead.
func (a *Asker) misnamed(ctx context.Context, head store.Run, baseline string, err error) error {
	if baseline == "" || store.CodeOf(err) != store.NotFound {
		return err
	}
	known, listErr := a.Store.Branches(ctx, a.Scope, head.Repo, knownBranches)
	if listErr != nil {
		return listErr
	}
	for _, name := range known {
		if name == baseline {
			return err // the branch exists, but no run on the branch fits
		}
	}
	meant := nearest.Word(baseline, known)
	if meant == "" {
		return err
	}
	return store.Next(store.Errorf(store.NotFound, "%w; did you mean the branch %s?", err, Clean(meant)),
		store.NextOf(err))
}

// Against returns a description of a baseline in a few words: "since build:4", or "since build:4 on main". Without a
// baseline it returns "".
func Against(b store.Baseline) string {
	switch {
	case !b.Found():
		return ""
	case b.Kind == store.BaselinePrevious || b.Run.Git.Branch == "":
		return fmt.Sprintf("since %s", b.Run.Ref())
	}
	return fmt.Sprintf("since %s on %s", b.Run.Ref(), Clean(b.Run.Git.Branch))
}

// partial returns a note if a run may lack errors that its command would have shown. The note says that the missing
// errors look fixed. partial returns "" for a complete run.
func partial(r store.Run) string {
	if why := partly(r); why != "" {
		return fmt.Sprintf("%s %s: what is missing there counts as fixed", r.Ref(), why)
	}
	return ""
}

// partialBase returns a note if a baseline may lack errors. The note says that the missing errors look new in later
// runs. partialBase returns "" for a complete baseline.
func partialBase(r store.Run) string {
	why := partly(r)
	if why == "" && r.Status() == store.StatusFail && r.Errors == 0 {
		why = "failed without an error that was recognised"
	}
	if why == "" {
		return ""
	}
	return fmt.Sprintf("%s %s: what is missing there counts as new", r.Ref(), why)
}

func partly(r store.Run) string {
	switch {
	case r.State == store.StateRunning:
		return "has not ended"
	case !r.Ended() && r.Status() != store.StatusFail:
		return "is " + string(r.Status())
	case !r.Ended():
		return "was ended by " + r.Signal
	case r.Lost != "":
		return "was not recorded in full"
	}
	return ""
}
