package ci

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/blq-ci/blq/store"
)

// Inside reports for each of some commits whether the commit is contained in the commit "of". A commit contains
// itself and its ancestors. The answer is nil in a shallow clone, because such a clone does not know all ancestors.
// The answer has only commits that are given by their whole hashes.
func Inside(ctx context.Context, dir, of string, commits []string) (map[string]bool, error) {
	if r, ok := findRepo(dir); !ok || r.isShallow() || !isCommit(of) {
		return nil, nil
	}
	return reached(ctx, dir, commits, "^"+of)
}

// OnBranches reports for each commit whether a local or remote branch contains it. The answer has only
// commits that are given by their whole hashes.
func OnBranches(ctx context.Context, dir string, commits []string) (map[string]bool, error) {
	return reached(ctx, dir, commits, "--not", "--branches", "--remotes", "--not")
}

// reached reports for each commit whether git rev-list leaves it out. The result is false for a commit that git does
// not know. excluded has the arguments of rev-list that name the history to leave out.
func reached(ctx context.Context, dir string, commits []string, excluded ...string) (map[string]bool, error) {
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
	list := func() string { return strings.Join(slices.Sorted(maps.Keys(is)), "\n") + "\n" }
	left, err := gitWith(ctx, dir, list(), slices.Concat([]string{"rev-list", "--ignore-missing"}, excluded,
		[]string{"--stdin"})...)
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, c := range strings.Fields(left) {
		if _, asked := is[c]; asked {
			out[c] = true
			delete(is, c)
		}
	}
	if len(is) > 0 { // git leaves out these commits, or does not know them
		known, err := gitWith(ctx, dir, list(), "rev-list", "--ignore-missing", "--no-walk", "--stdin")
		if err != nil {
			return nil, err
		}
		for _, c := range strings.Fields(known) {
			is[c] = true
		}
	}
	for c := range out {
		is[c] = false
	}
	return is, nil
}

// SameFiles reports for each commit whether it is known and has the same files as another commit. It reads only the
// commits, because a partial clone may lack their trees.
func SameFiles(ctx context.Context, dir, of string, commits []string) (map[string]bool, error) {
	ctx, cancel := context.WithTimeout(ctx, questionDeadline)
	defer cancel()
	is := map[string]bool{}
	list := slices.DeleteFunc(slices.Clone(commits), func(c string) bool { return !IsHash(c) })
	if len(list) == 0 || !IsHash(of) {
		return is, nil
	}
	asked := strings.Join(append([]string{of}, list...), "\n") + "\n"
	out, err := gitWith(ctx, dir, asked, "rev-list", "--ignore-missing", "--no-walk", "--format=%H %T", "--stdin")
	if err != nil {
		return nil, err
	}
	trees := map[string]string{}
	for line := range strings.Lines(out) { // a line "commit HASH" is before each of these lines
		commit, tree, _ := strings.Cut(strings.TrimSpace(line), " ")
		trees[commit] = tree
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
