package ci

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/blq-ci/blq/store"
)

// Blamed is the last change of a line: its author and its commit.
type Blamed struct {
	Author string    `json:"author"` // email address
	Commit string    `json:"commit"`
	Time   time.Time `json:"time"`
}

// Commit is a commit that changed a file.
type Commit struct {
	Hash    string `json:"hash"`
	Message string `json:"message"` // first line of the message
	Author  string `json:"author"`  // email address
}

// Blame returns the author and the commit of the last change of a line. commit is the commit at which the line is
// looked up, "" for the work tree. The file is relative to root, and lines are counted from 1. NotFound: the line is
// not committed, or git failed.
func Blame(ctx context.Context, root, commit, file string, line int) (Blamed, error) {
	args := []string{"blame", "--porcelain", "-L", fmt.Sprintf("%d,%d", line, line)}
	if commit != "" && !strings.HasPrefix(commit, "-") {
		args = append(args, commit)
	}
	out, err := git(ctx, root, append(args, "--", file)...)
	if err != nil {
		return Blamed{}, store.Errorf(store.NotFound, "blame %s:%d: %w", file, line, err)
	}
	var b Blamed
	for i, l := range strings.Split(string(out), "\n") {
		key, value, _ := strings.Cut(l, " ")
		switch {
		case i == 0:
			b.Commit = key
		case key == "author-mail":
			b.Author = strings.Trim(value, "<>")
		case key == "author-time":
			sec, _ := strconv.ParseInt(value, 10, 64)
			b.Time = time.Unix(sec, 0).UTC()
		}
		if strings.HasPrefix(l, "\t") {
			break // the text of the line is the last field of the record
		}
	}
	if strings.Trim(b.Commit, "0") == "" {
		return Blamed{}, store.Errorf(store.NotFound, "%s:%d is not committed", file, line)
	}
	return b, nil
}

// Show returns the content of a file at a commit. The file is relative to root. Every error of git is NotFound: the
// commit does not have the file, the commit is unknown, or root is not in a repository.
func Show(ctx context.Context, root, commit, file string) ([]byte, error) {
	out, err := git(ctx, root, "show", "--no-textconv", "--end-of-options", commit+":./"+file)
	if err != nil {
		return nil, store.Errorf(store.NotFound, "%s at %s: %w", file, commit, err)
	}
	return out, nil
}

// ChangedFiles returns the tracked files that differ between the work tree and a commit, relative to root. Every error
// of git is NotFound. It starts git only if it cannot prove by itself that nothing has changed.
func ChangedFiles(ctx context.Context, root, commit string) ([]string, error) {
	if r, ok := findRepo(root); ok {
		if head, _ := r.head(); head == commit && r.unchanged(commit) {
			return nil, nil
		}
	}
	out, err := git(ctx, root, "diff", "--name-only", "--relative", "-z", "--end-of-options", commit, "--")
	if err != nil {
		return nil, store.Errorf(store.NotFound, "changes since %s: %w", commit, err)
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }), nil
}

// FilesAt returns the files of a commit, relative to root. Files outside of root are left out. Every error of git is
// NotFound.
func FilesAt(ctx context.Context, root, commit string) (map[string]bool, error) {
	return names(ctx, root, "ls-tree", "-r", "--name-only", "-z", "--end-of-options", commit)
}

// Differing returns the files below root that differ between two commits, with their paths relative to root. An empty
// head means the work tree.
func Differing(ctx context.Context, root, base, head string) (map[string]bool, error) {
	args := []string{"diff", "--name-only", "--no-renames", "--relative", "-z", "--end-of-options", base}
	if head != "" {
		args = append(args, head)
	}
	return names(ctx, root, append(args, "--")...)
}

// names returns the names in the output of a git command. Zero bytes separate the names.
func names(ctx context.Context, root string, args ...string) (map[string]bool, error) {
	out, err := git(ctx, root, args...)
	if err != nil {
		return nil, store.Errorf(store.NotFound, "git %s: %w", args[0], err)
	}
	all := map[string]bool{}
	for name := range strings.SplitSeq(string(out), "\x00") {
		all[name] = true
	}
	delete(all, "")
	return all, nil
}

// Branch returns the branch that is checked out in the work tree that contains a directory. It returns "" for a
// detached HEAD and outside git. It starts git only if the repository stores its refs in the reftable format.
func Branch(dir string) string {
	r, ok := findRepo(dir)
	if !ok {
		return ""
	}
	commit, branch := r.head()
	if commit != "" || branch != "" {
		return branch
	}
	ctx, cancel := context.WithTimeout(context.Background(), gitDeadline)
	defer cancel()
	out, _ := git(ctx, dir, "symbolic-ref", "--quiet", "--short", "HEAD") // fails for a detached HEAD
	return strings.TrimSpace(string(out))
}

// RecentCommits returns at most n commits that changed the file, newest first. The list is empty for a file without
// commits.
func RecentCommits(ctx context.Context, root, file string, n int) ([]Commit, error) {
	out, err := git(ctx, root, "log", "-n", strconv.Itoa(n), "--no-show-signature", "--format=%H%x00%ae%x00%s", "--", file)
	if err != nil {
		return nil, fmt.Errorf("recent commits of %s: %w", file, err)
	}
	var commits []Commit
	for line := range strings.Lines(string(out)) {
		if f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\x00", 3); len(f) == 3 {
			commits = append(commits, Commit{Hash: f[0], Author: f[1], Message: f[2]})
		}
	}
	return commits, nil
}
