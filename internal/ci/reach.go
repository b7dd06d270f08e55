package ci

import (
	"context"
	"strings"

	"github.com/blq-ci/blq/store"
)

// Inside tells of each commit whether it is inside of another commit: that commit itself, or an ancestor of it. The
// answer is nil in a shallow clone, because such a clone does not know all ancestors. It lacks names that are no whole
// hashes.
func Inside(ctx context.Context, dir, of string, commits []string) (map[string]bool, error) {
	if r, ok := findRepo(dir); !ok || r.isShallow() || !isCommit(of) {
		return nil, nil
	}
	return reached(ctx, dir, commits, "^"+of)
}

// OnBranches tells of each commit whether a local or remote branch contains it. The answer lacks names that are no whole
// hashes.
func OnBranches(ctx context.Context, dir string, commits []string) (map[string]bool, error) {
	return reached(ctx, dir, commits, "--not", "--branches", "--remotes", "--not")
}

// reached tells of each commit whether git knows it and leaves it out of a list of history. without are the arguments
// for what the list leaves out.
func reached(ctx context.Context, dir string, commits []string, without ...string) (map[string]bool, error) {
	ctx, cancel := context.WithTimeout(ctx, questionDeadline)
	defer cancel()
	is := map[string]bool{}
	var asked strings.Builder
	for _, c := range commits {
		if isCommit(c) && c != "HEAD" {
			is[c] = false
			asked.WriteString(c + "\n")
		}
	}
	if len(is) == 0 {
		return is, nil
	}
	list := func(args ...string) ([]string, error) {
		cmd := GitCommand(ctx, dir, append([]string{"rev-list", "--ignore-missing"}, args...)...)
		cmd.Stdin = strings.NewReader(asked.String())
		out, err := output(cmd, "rev-list")
		if err != nil {
			return nil, store.Errorf(store.Unavailable, "the history of %s: %w", dir, err)
		}
		return strings.Fields(string(out)), nil
	}
	known, err := list("--no-walk", "--stdin")
	if err != nil {
		return nil, err
	}
	left, err := list(append(without, "--stdin")...)
	if err != nil {
		return nil, err
	}
	for _, c := range known {
		is[c] = true
	}
	for _, c := range left {
		if _, ok := is[c]; ok {
			is[c] = false
		}
	}
	return is, nil
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
