// Package worktree reads facts from a work tree and from git's history. It lists files with git. So it respects
// .gitignore, and recognizes unchanged files without reading them. Without git, it lists the files of a directory. The
// package may import facts, internal/ci and store.
package worktree

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/internal/ci"
	"github.com/blq-ci/blq/store"
)

// Source finds facts in the repository of a directory.
type Source struct {
	Root    string   // a directory in the work tree; without git, the directory of the files
	Cache   string   // file with remembered digests, "" for none
	Exclude []string // excluded files and directories
	// Store has runs, and facts of commits that git lacks. It may be nil.
	Store facts.Store
	Blobs facts.Getter // objects of Store
	Repo  string       // repository in Store
	// Memory is a cache that several sources may share. It may be nil.
	Memory *Memory
}

var _ facts.Source = (*Source)(nil)

// At implements facts.Source. An empty name means the work tree.
func (s *Source) At(ctx context.Context, q facts.Query) (facts.Found, error) {
	if q.At == "" && q.Back == 0 {
		return s.tree(ctx, q.Kind)
	}
	commit, err := s.commit(ctx, cmp.Or(q.At, "HEAD"))
	if store.CodeOf(err) == store.NotFound && s.Store != nil {
		kept := facts.Stored{Store: s.Store, Blobs: s.Blobs, Scope: store.Everything()}
		if found, other := kept.At(ctx, facts.Query{Repo: cmp.Or(q.Repo, s.Repo), At: q.At, Kind: q.Kind,
			Back: q.Back}); other == nil {
			return found, nil
		}
	}
	if err != nil {
		return facts.Found{}, err
	}
	if q.Back > 0 {
		if commit, err = s.back(ctx, commit, q.Back); err != nil {
			return facts.Found{}, err
		}
	}
	return s.AtCommit(ctx, commit, q.Kind)
}

// AtCommit returns the facts of a commit that git has.
func (s *Source) AtCommit(ctx context.Context, commit string, kind store.FactKind) (facts.Found, error) {
	top, err := s.top()
	if err != nil {
		return facts.Found{}, err
	}
	list, err := listCommit(ctx, top, commit, s.Memory, s.selection(kind))
	if err != nil {
		return facts.Found{}, err
	}
	list, links := withoutLinks(list)
	set, err := s.set(ctx, top, kind, list)
	return facts.Found{Set: set, Commit: commit, Links: links}, err
}

// tree returns the facts of the work tree.
func (s *Source) tree(ctx context.Context, kind store.FactKind) (facts.Found, error) {
	top, ok := gitTop(s.Root)
	if !ok {
		list, err := walk(s.Root, s.selection(kind))
		if err != nil {
			return facts.Found{}, err
		}
		set, err := s.set(ctx, s.Root, kind, list)
		return facts.Found{Set: set}, err
	}
	w, err := listTree(ctx, top, s.selection(kind))
	if err != nil {
		return facts.Found{}, err
	}
	set, err := s.set(ctx, top, kind, w.files)
	slices.Sort(w.changed)
	return facts.Found{Set: set, Commit: w.commit, Dirty: w.dirty, Changed: w.changed, Links: w.links}, err
}

func (s *Source) selection(kind store.FactKind) facts.Selection {
	return facts.Selection{Kind: kind, Exclude: s.Exclude}
}

// head returns the commit of the work tree. The error is NotFound if there is no commit or no git repository.
func (s *Source) head(ctx context.Context) (string, error) { return s.commit(ctx, "HEAD") }

// Dirty returns the files of a kind that differ between the work tree and its commit.
func (s *Source) Dirty(ctx context.Context, kind store.FactKind) ([]string, error) {
	top, err := s.top()
	if err != nil {
		return nil, err
	}
	w, err := listTree(ctx, top, s.selection(kind))
	return w.changed, err
}

// nearby is the number of ancestors that are listed at once.
const nearby = 16

// back goes from a commit to its first parent, n times, and returns the commit that it reaches.
func (s *Source) back(ctx context.Context, commit string, n int) (string, error) {
	if s.Memory != nil && n <= nearby {
		list, err := s.Memory.listing("ancestors", commit, func() ([]byte, error) {
			commits, err := s.Ancestors(ctx, commit, nearby)
			return []byte(strings.Join(commits, "\n")), err
		})
		if commits := strings.Fields(string(list)); err == nil && n <= len(commits) {
			return commits[n-1], nil
		}
	}
	// The list may be short, because it was made when the clone was shallow.
	ancestor, err := s.first(ctx, []string{commit + "~" + strconv.Itoa(n)})
	if err == nil && ancestor == "" {
		err = store.Errorf(store.NotFound, "%.12s has no %d commits before it here", commit, n)
	}
	return ancestor, err
}

// Ancestors returns at most n ancestors of a commit along first parents, nearest first.
func (s *Source) Ancestors(ctx context.Context, commit string, n int) ([]string, error) {
	top, err := s.top()
	if err != nil {
		return nil, err
	}
	out, err := run(ctx, top, "rev-list", "--first-parent", "--max-count="+strconv.Itoa(n+1), commit, "--")
	if err != nil {
		return nil, err
	}
	return strings.Fields(string(out))[1:], nil
}

// tag returns a tag of a commit, or "" if there is none.
func (s *Source) tag(ctx context.Context, commit string) string {
	out, err := run(ctx, s.Root, "tag", "--points-at", commit)
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(out), "\n")
	return first
}

// top returns the top directory of the work tree. The error is NotFound if s.Root is not in a git repository.
func (s *Source) top() (string, error) {
	top, ok := gitTop(s.Root)
	if !ok {
		return "", store.Hint(store.Errorf(store.NotFound, "%s is not in a git repository, so it has no commits", s.Root),
			"go to the work tree of one")
	}
	return top, nil
}

// gitTop returns the top of the work tree that contains a directory, and reports whether there is such a work tree.
func gitTop(dir string) (string, bool) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", false
	}
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", false
		}
		dir = parent
	}
}

// commit returns the commit that a name stands for. The name is a branch, a tag, a hash, a pull request, a run, HEAD,
// or an expression such as HEAD~1. The error is NotFound if git has no such commit.
func (s *Source) commit(ctx context.Context, name string) (string, error) {
	name = strings.TrimSpace(name)
	if n := facts.PullRequest(name); n > 0 {
		return s.pull(ctx, name, n)
	}
	if base := strings.IndexAny(name, "~^@"); name == "HEAD" || base > 0 && name[:base] == "HEAD" {
		commit, err := s.first(ctx, []string{name})
		if commit == "" && err == nil {
			err = facts.NoSuch(name)
		}
		return commit, err
	}
	if facts.IsRun(name) {
		return s.ofRun(ctx, name)
	}
	if ci.IsHash(name) { // git also prefers a commit to a branch with the name of its hash
		if commit, err := s.ofHash(ctx, name); commit != "" || err != nil {
			return commit, err
		}
	}
	tries := []string{"refs/heads/" + name, "refs/remotes/origin/" + name, "refs/tags/" + name}
	if facts.IsHash(name) {
		tries = append(tries, name)
	}
	commit, err := s.first(ctx, tries)
	if commit != "" || err != nil {
		return commit, err
	}
	if commit, err := s.ofRun(ctx, name); err == nil {
		return commit, nil
	}
	if facts.IsHash(name) {
		if err := s.ambiguous(ctx, name); err != nil {
			return "", err
		}
	}
	return "", facts.NoSuch(name)
}

// first returns the commit of the first name that git knows, or "" if there is none. It starts git once for all names.
func (s *Source) first(ctx context.Context, names []string) (string, error) {
	top, err := s.top()
	if err != nil {
		return "", err
	}
	var ask strings.Builder
	for _, name := range names {
		if !strings.ContainsAny(name, "\n\x00") { // no name in git has such characters
			ask.WriteString(name + "^{commit}\n")
		}
	}
	out, err := feed(ctx, top, ask.String(), "cat-file", "--batch-check=%(objectname)")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); !strings.Contains(line, " ") { // for a missing object, git writes "NAME missing"
			return line, nil
		}
	}
	return "", nil
}

var errNoCommit = errors.New("git does not have the commit")

// ofHash returns the commit with a hash, or "" if git does not have the commit. For a whole hash, s.Memory remembers
// that git has the commit.
func (s *Source) ofHash(ctx context.Context, hash string) (string, error) {
	if !ci.IsHash(hash) {
		return s.first(ctx, []string{hash})
	}
	top, err := s.top()
	if err != nil {
		return "", err
	}
	found, err := s.Memory.listing("commit in "+top, hash, func() ([]byte, error) {
		commit, err := s.first(ctx, []string{hash})
		if commit == "" && err == nil {
			err = errNoCommit
		}
		return []byte(commit), err
	})
	if errors.Is(err, errNoCommit) {
		return "", nil
	}
	return string(found), err
}

// ambiguous returns an Invalid error if more than one hash begins with a name.
func (s *Source) ambiguous(ctx context.Context, name string) error {
	out, err := feed(ctx, s.Root, name+"\n", "cat-file", "--batch-check=%(objectname)")
	if err == nil && strings.HasSuffix(strings.TrimSpace(string(out)), " ambiguous") {
		err = store.Hint(store.Errorf(store.Invalid, "more than one hash begins with %q", name), "use more of the hash")
	}
	return err
}

// pull returns the commit of a pull request: the fetched commit, or else the commit of the pull request's newest run.
func (s *Source) pull(ctx context.Context, name string, n int) (string, error) {
	number := strconv.Itoa(n)
	commit, err := s.first(ctx, []string{"refs/pull/" + number + "/head", "refs/remotes/origin/pr/" + number,
		"refs/remotes/origin/pull/" + number + "/head"})
	if commit != "" || err != nil {
		return commit, err
	}
	if s.Store != nil {
		runs, err := s.Store.Runs(ctx, store.Everything(), store.RunFilter{PR: n, Limit: 1})
		if err != nil {
			return "", err
		}
		if len(runs) > 0 {
			return s.known(ctx, name, runs[0].Git.Commit)
		}
	}
	return "", store.Hint(store.Errorf(store.NotFound, "%s is not here", name),
		"fetch it: git fetch origin pull/%d/head:refs/remotes/origin/pr/%d", n, n)
}

// ofRun returns the commit of a run.
func (s *Source) ofRun(ctx context.Context, name string) (string, error) {
	if s.Store == nil {
		return "", facts.NoSuch(name)
	}
	r, err := facts.RunAt(ctx, s.Store, store.Everything(), "", name)
	if err != nil {
		return "", err
	}
	if r.Git.Commit == "" {
		return "", store.Errorf(store.NotFound, "run %s does not say at which commit it was", r.Ref())
	}
	return s.known(ctx, name, r.Git.Commit)
}

// known returns the full hash of a commit. The error is NotFound if git does not have the commit.
func (s *Source) known(ctx context.Context, name, commit string) (string, error) {
	found, err := s.ofHash(ctx, commit)
	if found == "" && err == nil {
		err = store.Hint(store.Errorf(store.NotFound, "commit %.12s of %s is not here", commit, name),
			"fetch it: git fetch origin %s", commit)
	}
	return found, err
}

// run runs git and returns its output. The error is Unavailable if git cannot be run, or refuses to read the
// repository.
func run(ctx context.Context, dir string, args ...string) ([]byte, error) {
	return feed(ctx, dir, "", args...)
}

// feed does the same as run, and writes a text to git's standard input.
func feed(ctx context.Context, dir, input string, args ...string) ([]byte, error) {
	cmd := ci.GitCommand(ctx, dir, args...)
	if input != "" {
		cmd.Stdin = strings.NewReader(input)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, gitFailed(ctx, args[0], stderr.String(), err)
	}
	return out, nil
}

// gitFailed returns the error of a git call. An exit code without a message means that git found nothing.
func gitFailed(ctx context.Context, verb, said string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	said, _, _ = strings.Cut(strings.TrimSpace(said), "\n")
	if said == "" && isExit(err) {
		return err
	}
	err = store.Errorf(store.Unavailable, "git %s: %s: %w", verb, cmp.Or(said, "no output"), err)
	return store.Hint(err, "see what git says: git status")
}

// isExit reports whether an error is only a nonzero exit code of git, because git found nothing. If git also printed a
// message, gitFailed has given the error a store code.
func isExit(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && store.CodeOf(err) == ""
}
