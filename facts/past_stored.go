package facts

import (
	"context"

	"github.com/blq-ci/blq/store"
)

// maxStates is the max number of snapshots that are searched for the last change of a document.
const maxStates = 50

// walked is a Past that knows the snapshots of ancestors.
type walked struct {
	last    map[string]int // number of the state in which each document was last changed
	states  map[int]*since // states by number, 0 for now
	changed []string
}

var _ Historian = Stored{}

// Past implements Historian with the snapshots of the commit's first parents. A document that is the same in all these
// snapshots counts as changed in the oldest one, although the real change may be older.
func (s Stored) Past(ctx context.Context, sources, docs Found, named []string) (Past, error) {
	w := &walked{last: map[string]int{}, states: map[int]*since{}}
	missing := map[string]bool{}
	for _, doc := range named {
		missing[doc] = true
	}
	now, code, about := sources, sources, digestsOf(docs, missing)
	state := 0
	for ; len(missing) > 0 && state < maxStates; state++ {
		q := Query{Repo: sources.Repo, At: sources.Commit, Kind: store.FactCode, Back: code.Distance + 1}
		earlier, err := s.At(ctx, q)
		if store.CodeOf(err) == store.NotFound {
			break
		}
		if err != nil {
			return nil, err
		}
		q.Kind, q.Back = store.FactDocs, earlier.Distance
		docsThen, err := s.At(ctx, q)
		if store.CodeOf(err) == store.NotFound {
			break
		}
		if err != nil {
			return nil, err
		}
		before := digestsOf(docsThen, missing)
		for doc := range missing {
			if before[doc] != about[doc] {
				w.settle(doc, state, now, code)
				delete(missing, doc)
			}
		}
		code, about = earlier, before
	}
	for doc := range missing {
		w.settle(doc, state, now, code)
	}
	seen := map[string]bool{}
	for _, state := range w.states {
		for _, path := range state.changed {
			if !seen[path] {
				seen[path] = true
				w.changed = append(w.changed, path)
			}
		}
	}
	return w, nil
}

// settle records the state in which a document was last changed, with the code of that state.
func (w *walked) settle(doc string, state int, now, code Found) {
	w.last[doc] = state
	if w.states[state] == nil {
		w.states[state] = newSince(now.Set, code.Set)
	}
}

// digestsOf returns the digests of the given files.
func digestsOf(set Set, of map[string]bool) map[string]string {
	digests := map[string]string{}
	for _, f := range set.Files() {
		if of[f.Path] {
			digests[f.Path] = f.Digest
		}
	}
	return digests
}

func (w *walked) Changed() []string { return w.changed }

func (w *walked) Knows(doc string) bool {
	_, known := w.last[doc]
	return known
}

func (w *walked) Was(doc, file string) Was { return w.states[w.last[doc]].Was(doc, file) }
