package ci

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/blq-ci/blq/store"
)

// Lookups answers questions about many commits. It remembers the trees of commits, which never change, so that git
// starts less often. The zero value is ready for use. It is not meant to live longer than a question.
type Lookups struct {
	mu    sync.Mutex
	trees map[string]string // by commit, only of commits that git knows
}

// Inside reports for each of some commits whether the commit is contained in the commit "of". A commit contains
// itself and its ancestors. The answer is nil in a shallow clone, because such a clone does not know all ancestors.
// The answer has only commits that are given by their whole hashes.
func (l *Lookups) Inside(ctx context.Context, dir, of string, commits []string) (map[string]bool, error) {
	if r, ok := findRepo(dir); !ok || r.isShallow() || !isCommit(of) {
		return nil, nil
	}
	return l.reached(ctx, dir, commits, of, "^"+of)
}

// OnBranches reports for each commit whether a local or remote branch contains it. The answer has only
// commits that are given by their whole hashes.
func (l *Lookups) OnBranches(ctx context.Context, dir string, commits []string) (map[string]bool, error) {
	return l.reached(ctx, dir, commits, "", "--not", "--branches", "--remotes", "--not")
}

// reached reports for each commit whether git rev-list leaves it out. The result is false for a commit that git does
// not know. excluded has the arguments of rev-list that name the history to leave out. If git has to be asked which
// commits it knows, it is also asked about headCommit, which SameFiles may need.
func (l *Lookups) reached(ctx context.Context, dir string, commits []string, headCommit string, excluded ...string) (
	map[string]bool, error) {
	ctx, cancel := context.WithTimeout(ctx, questionDeadline)
	defer cancel()
	is := map[string]bool{}
	for _, c := range commits {
		if IsHash(c) {
			is[c] = false
		}
	}
	if len(is) == 0 {
		return is, nil
	}
	list := slices.Sorted(maps.Keys(is))
	left, err := gitWith(ctx, dir, strings.Join(list, "\n")+"\n",
		slices.Concat([]string{"rev-list", "--ignore-missing"}, excluded, []string{"--stdin"})...)
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, c := range strings.Fields(left) {
		if _, asked := is[c]; asked {
			out[c] = true
		}
	}
	if len(out) == len(is) {
		return is, nil
	}
	// Git leaves out the other commits, or does not know them.
	trees, err := l.treesOf(ctx, dir, func(c string) bool { return !out[c] }, append(list, headCommit))
	for _, c := range list {
		is[c] = !out[c] && trees[c] != ""
	}
	return is, err
}

// treesOf returns the trees of commits that git knows. It starts git only if it does not know the tree of a needed
// commit, and then asks for all trees that it does not know.
func (l *Lookups) treesOf(ctx context.Context, dir string, needed func(commit string) bool, commits []string) (
	map[string]string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	missing := slices.DeleteFunc(slices.Clone(commits), func(c string) bool { return !IsHash(c) || l.trees[c] != "" })
	if !slices.ContainsFunc(missing, needed) {
		return l.trees, nil
	}
	out, err := gitWith(ctx, dir, strings.Join(missing, "\n")+"\n",
		"rev-list", "--ignore-missing", "--no-walk", "--format=%H %T", "--stdin")
	if err != nil {
		return nil, err
	}
	trees := maps.Clone(l.trees) // the caller of another method may read l.trees
	if trees == nil {
		trees = map[string]string{}
	}
	for line := range strings.Lines(out) { // a line "commit HASH" is before each of these lines
		if commit, tree, _ := strings.Cut(strings.TrimSpace(line), " "); commit != "commit" {
			trees[commit] = tree
		}
	}
	l.trees = trees
	return trees, nil
}

// SameFiles reports for each commit whether it is known and has the same files as another commit. It reads only the
// commits, because a partial clone may lack their trees.
func (l *Lookups) SameFiles(ctx context.Context, dir, of string, commits []string) (map[string]bool, error) {
	ctx, cancel := context.WithTimeout(ctx, questionDeadline)
	defer cancel()
	is := map[string]bool{}
	list := slices.DeleteFunc(slices.Clone(commits), func(c string) bool { return !IsHash(c) })
	if len(list) == 0 || !IsHash(of) {
		return is, nil
	}
	trees, err := l.treesOf(ctx, dir, func(string) bool { return true }, append(list, of))
	if err != nil {
		return nil, err
	}
	for _, c := range list {
		is[c] = trees[c] != "" && trees[c] == trees[of]
	}
	return is, nil
}

// IsHash reports whether a name is a whole hash.
func IsHash(name string) bool { return isCommit(name) && name != "HEAD" }

// gitWith runs the git program with an input, and returns its output. Git does not fetch objects that a partial clone
// lacks.
func gitWith(ctx context.Context, dir, input string, args ...string) (string, error) {
	cmd := GitCommand(ctx, dir, args...)
	cmd.Env = append(cmd.Env, "GIT_NO_LAZY_FETCH=1")
	cmd.Stdin = strings.NewReader(input)
	out, err := output(cmd, args[0])
	switch {
	case err != nil && ctx.Err() != nil:
		return "", tooSlow(ctx, dir)
	case err != nil:
		return "", store.Errorf(store.Unavailable, "the history of %s: %w", dir, err)
	}
	return string(out), nil
}

// Branches returns the names of the branches here and at remotes.
func Branches(ctx context.Context, dir string) (map[string]bool, error) {
	refs, err := branchRefs(ctx, dir)
	if err != nil {
		return nil, store.Errorf(store.Unavailable, "the branches of %s: %w", dir, err)
	}
	_, _, known, _ := branches(refs)
	return known, nil
}
