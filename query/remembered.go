package query

import (
	"context"
	"sync"

	"github.com/blq-ci/blq/store"
)

// ForOneQuestion returns an asker for one question. It looks up each fact about the history of commits only once. The
// history may change before the next question.
func (a *Asker) ForOneQuestion() *Asker {
	if a == nil || a.Ancestry == nil {
		return a
	}
	b := *a
	b.Ancestry = &remembered{Ancestry: a.Ancestry, branches: map[string]found[string]{},
		ancestors: map[lookup]found[[]string]{}}
	return &b
}

// remembered is an Ancestry that caches the answers of another Ancestry.
type remembered struct {
	store.Ancestry
	mu        sync.Mutex
	branches  map[string]found[string] // default branches by repository
	ancestors map[lookup]found[[]string]
}

// lookup is the key of a cached answer: the arguments of Ancestors.
type lookup struct {
	repo, commit, base string
	n                  int
}

// found is a cached answer, or a cached error.
type found[T any] struct {
	answer T
	err    error
}

func (r *remembered) DefaultBranch(ctx context.Context, repo string) (string, error) {
	return recall(r, r.branches, repo, func() (string, error) { return r.Ancestry.DefaultBranch(ctx, repo) })
}

func (r *remembered) Ancestors(ctx context.Context, repo, commit, base string, n int) ([]string, error) {
	return recall(r, r.ancestors, lookup{repo, commit, base, n}, func() ([]string, error) {
		return r.Ancestry.Ancestors(ctx, repo, commit, base, n)
	})
}

// recall returns the answer for a key. If the key is new, it looks up the answer.
func recall[K comparable, T any](r *remembered, known map[K]found[T], key K, look func() (T, error)) (T, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f, ok := known[key]
	if !ok {
		f.answer, f.err = look()
		known[key] = f
	}
	return f.answer, f.err
}
