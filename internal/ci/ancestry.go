package ci

import (
	"context"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/store"
)

// DefaultBranch returns the branch into which other branches are merged. It returns the first of these branches that
// exists: origin's HEAD, git's init.defaultBranch, main, master, trunk, or the only branch of a repository without
// remotes. In a repository without commits and remotes, it returns the current branch. It returns "" if there is no
// such branch, or outside git.
func DefaultBranch(ctx context.Context, dir string) string {
	refs, err := branchRefs(ctx, dir)
	if err != nil {
		return ""
	}
	return defaultOf(ctx, dir, refs)
}

// DefaultTip returns the newest commit of the default branch at the remote origin, or else of the local default branch.
// It returns "" if there is no such commit.
func DefaultTip(ctx context.Context, dir string) string {
	refs, err := branchRefs(ctx, dir)
	if err != nil {
		return ""
	}
	here, name := "", defaultOf(ctx, dir, refs)
	for line := range strings.Lines(refs) {
		switch ref, rest, _ := strings.Cut(strings.TrimSpace(line), " "); ref {
		case "refs/remotes/origin/" + name:
			commit, _, _ := strings.Cut(rest, " ")
			return commit
		case "refs/heads/" + name:
			here, _, _ = strings.Cut(rest, " ")
		}
	}
	return here
}

// branchRefs lists the branches here and at remotes: the full name of each ref, its commit, and for a symbolic ref its
// target.
func branchRefs(ctx context.Context, dir string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, gitDeadline)
	defer cancel()
	refs, err := git(ctx, dir, "for-each-ref", "--format=%(refname) %(objectname) %(symref)", "refs/heads", "refs/remotes")
	return string(refs), err
}

// defaultOf returns the default branch of a repository with these refs, or "" if it is not known.
func defaultOf(ctx context.Context, dir, refs string) string {
	ctx, cancel := context.WithTimeout(ctx, gitDeadline)
	defer cancel()
	head, local, known, remote := branches(refs)
	switch {
	case head != "":
		return head
	case len(known) == 1 && !remote: // even if init.defaultBranch names another branch
		return local[0]
	}
	for _, name := range []string{word(git(ctx, dir, "config", "init.defaultBranch")), "main", "master", "trunk"} {
		if name != "" && known[name] {
			return name
		}
	}
	switch {
	case remote:
		return ""
	case len(local) == 1:
		return local[0]
	case len(local) == 0: // there is no commit yet
		return word(git(ctx, dir, "symbolic-ref", "--quiet", "--short", "HEAD"))
	}
	return ""
}

// branches parses the output of branchRefs. head is the branch of origin's HEAD, local has the local branches, and
// every has all branches. remote reports whether there are remote branches.
func branches(refs string) (head string, local []string, every map[string]bool, remote bool) {
	every = map[string]bool{}
	for line := range strings.Lines(refs) {
		ref, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		_, symbol, _ := strings.Cut(rest, " ")
		if name, ok := strings.CutPrefix(ref, "refs/heads/"); ok {
			local, every[name] = append(local, name), true
			continue
		}
		remote = true
		if ref == "refs/remotes/origin/HEAD" {
			head, _ = strings.CutPrefix(symbol, "refs/remotes/origin/")
		}
		if _, name, ok := strings.Cut(strings.TrimPrefix(ref, "refs/remotes/"), "/"); ok {
			every[name] = true
		}
	}
	return head, local, every, remote
}

// word returns the output of git without surrounding space, or "" after an error.
func word(out []byte, err error) string {
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// Ancestors returns the newest commit that a commit shares with a base, and the commits before it: at most n commits.
// The base is a branch or a commit. If several local or remote branches have the name of the base, the branch with the
// newest shared commit is used. Errors: not_found when a commit is missing here, or when the commit and the base share
// no history, as in shallow clones; unavailable when git takes too long.
func Ancestors(ctx context.Context, dir, commit, base string, n int) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, questionDeadline)
	defer cancel()
	if commit == "" || commit[0] == '-' {
		return nil, store.Errorf(store.NotFound, "%q is not a commit", commit)
	}
	if commit == base && isCommit(base) {
		// The merge base of a commit with itself is the commit.
		if out, err := git(ctx, dir, "rev-list", "--max-count="+strconv.Itoa(n), commit, "--"); err == nil {
			return strings.Fields(string(out)), nil
		}
	}
	tips := tipsOf(ctx, dir, base)
	if len(tips) == 0 {
		return nil, unknownBase(ctx, dir, base)
	}
	shared := word(git(ctx, dir, append([]string{"merge-base", commit}, tips...)...))
	switch {
	case shared != "" && n == 1:
		return []string{shared}, nil
	case shared != "":
	case commitOf(ctx, dir, base) == "" && isCommit(base):
		return nil, unknownBase(ctx, dir, base)
	case commitOf(ctx, dir, commit) == "":
		return nil, missing(ctx, dir, "no commit %q here", commit)
	default:
		return nil, toFetch(missing(ctx, dir, "%s and %s share no commit here", commit, base),
			"fetch the history: git fetch --unshallow origin %s", base)
	}
	out, err := git(ctx, dir, "rev-list", "--max-count="+strconv.Itoa(n), shared, "--")
	if err != nil {
		return nil, missing(ctx, dir, "history of %.9s: %w", shared, err)
	}
	return strings.Fields(string(out)), nil
}

// unknownBase returns the error for a base that is not here.
func unknownBase(ctx context.Context, dir, base string) error {
	return toFetch(missing(ctx, dir, "no branch or commit %q here", base), "fetch it: git fetch origin %s", base)
}

// tipsOf returns the newest commits of a branch, in this repository and at remotes. If base is not a branch, it returns
// the commit that base names. A whole hash stands for itself, even if there is no such commit.
func tipsOf(ctx context.Context, dir, base string) []string {
	if IsHash(base) {
		return []string{base}
	}
	var tips []string
	if base != "" && !isCommit(base) && !strings.ContainsAny(base, "*?[\\") {
		out := word(
			git(ctx, dir, "for-each-ref", "--format=%(objectname) %(refname)", "refs/heads/"+base, "refs/remotes/*/"+base))
		for line := range strings.Lines(out) {
			// For the base topic, git also lists refs such as topic/x.
			if tip, ref, _ := strings.Cut(strings.TrimSpace(line), " "); strings.HasSuffix(ref, "/"+base) {
				tips = append(tips, tip)
			}
		}
	}
	if tips == nil {
		return strings.Fields(commitOf(ctx, dir, base))
	}
	return tips
}

// isCommit reports whether a name is HEAD or a whole hash. Git refuses branches with the name HEAD, and prefers a
// commit to a branch with the name of its hash.
func isCommit(name string) bool {
	return name == "HEAD" || (len(name) == 40 || len(name) == 64) && strings.Trim(name, "0123456789abcdef") == ""
}

// commitOf returns the hash of the commit that a name stands for. It returns "" if there is none.
func commitOf(ctx context.Context, dir, name string) string {
	if name == "" || name[0] == '-' {
		return ""
	}
	return word(git(ctx, dir, "rev-parse", "--verify", "--quiet", name+"^{commit}"))
}

// missing returns the NotFound error for a commit that is not here. In a shallow clone its cause is store.ErrShallow.
// If git took too long, missing returns an Unavailable error, because the commit may be here.
func missing(ctx context.Context, dir, format string, args ...any) error {
	if ctx.Err() != nil {
		return tooSlow(ctx, dir)
	}
	if word(git(ctx, dir, "rev-parse", "--is-shallow-repository")) == "true" {
		return store.Errorf(store.NotFound, format+", %w", append(args, store.ErrShallow)...)
	}
	return store.Errorf(store.NotFound, format, args...)
}

// tooSlow returns the error for a question about the history that git did not answer in time.
func tooSlow(ctx context.Context, dir string) error {
	return store.Hint(
		store.Errorf(store.Unavailable, "git takes too long to read the history of %s: %w", dir, ctx.Err()),
		"help git to read it: git commit-graph write --reachable")
}

// toFetch adds a hint to the error for a commit that is not here.
func toFetch(err error, format string, args ...any) error {
	if store.CodeOf(err) != store.NotFound {
		return err
	}
	return store.Hint(err, format, args...)
}
