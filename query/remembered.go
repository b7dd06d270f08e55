package query

import (
	"context"
	"maps"
	"sync"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

// ForOneQuestion returns an asker for one question. It looks up each fact about the history of commits only once. The
// history may change before the next question. If the asker has no cache of texts, the new one keeps two parts of logs.
// The errors of an answer are often in the same part, and the end of a log tells how many lines it has.
func (a *Asker) ForOneQuestion() *Asker {
	if a == nil {
		return a
	}
	b := *a
	if a.Texts == nil {
		b.Texts = chunk.NewTexts(2)
	}
	if a.Ancestry == nil {
		return &b
	}
	b.Ancestry = &remembered{Ancestry: a.Ancestry, branches: map[string]found[string]{},
		ancestors: map[lookup]found[[]string]{}}
	if a.Git != nil {
		b.Git = &rememberedGit{Git: a.Git, histories: map[rootAndCommit]history{}}
	}
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

// rememberedGit is a Git that caches which commits are in the histories of other commits.
type rememberedGit struct {
	Git
	mu        sync.Mutex
	histories map[rootAndCommit]history
}

type rootAndCommit struct{ root, commit string }

// history holds the answers of Inside about one commit. Commits for which the answer is unknown are in the map asked,
// but not in the map inside.
type history struct{ asked, inside map[string]bool }

// Inside does the same as the method of Git. It looks up only commits that were not asked about before.
func (g *rememberedGit) Inside(ctx context.Context, root, of string, commits []string) (map[string]bool, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := rootAndCommit{root, of}
	h, known := g.histories[at]
	if known && h.inside == nil {
		return nil, nil
	}
	var left []string
	for _, c := range commits {
		if !h.asked[c] {
			left = append(left, c)
		}
	}
	if len(left) > 0 || !known {
		is, err := g.Git.Inside(ctx, root, of, left)
		if err != nil {
			return nil, err
		}
		if is == nil { // nothing is known about this history
			g.histories[at] = history{}
			return nil, nil
		}
		if !known {
			h = history{map[string]bool{}, map[string]bool{}}
			g.histories[at] = h
		}
		for _, c := range left {
			h.asked[c] = true
		}
		maps.Copy(h.inside, is)
	}
	answer := map[string]bool{}
	for _, c := range commits {
		if is, known := h.inside[c]; known {
			answer[c] = is
		}
	}
	return answer, nil
}

// alreadyInside reports whether a commit is in the history of another commit, if an earlier lookup of the same question
// has found that out. Otherwise the result known is false.
func (a *Asker) alreadyInside(of, commit string) (is, known bool) {
	g, ok := a.Git.(*rememberedGit)
	if !ok {
		return false, false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	is, known = g.histories[rootAndCommit{a.Root, of}].inside[commit]
	return is, known
}
