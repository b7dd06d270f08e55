package ci

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/blq-ci/blq/internal/regularfile"
	"github.com/blq-ci/blq/store"
)

// gitDeadline is the max time that a run waits for git.
const gitDeadline = 2 * time.Second

// questionDeadline is the max time that a question about the history waits for git.
const questionDeadline = 20 * time.Second

// Git returns the checked-out commit of the repository that contains dir. It starts the program git, except if it can
// prove without git that no file has changed. Only tracked files count as changes. For submodules only the commit
// counts.
//
// If git is not installed, does not trust the owner of the directory, or takes too long, Git reads the commit itself.
// It then does not know whether files have changed. In this case Dirty is false, with one exception: it is true if
// git took too long outside of CI. Work trees of people often have changes, and a run with changes must not count as
// a run of the commit.
func Git(ctx context.Context, dir string) store.Git {
	repo, ok := findRepo(dir)
	if !ok {
		return store.Git{}
	}
	if commit, branch := repo.head(); repo.unchanged(commit) {
		return store.Git{Commit: commit, Branch: branch, Root: repo.root}
	}
	ctx, cancel := context.WithTimeout(ctx, gitDeadline)
	defer cancel()
	out, err := git(ctx, dir, "status", "--porcelain=v2", "--branch", "--untracked-files=no", "--ignore-submodules=dirty",
		"--no-ahead-behind")
	if err != nil {
		commit, branch := repo.head()
		slow := errors.Is(ctx.Err(), context.DeadlineExceeded)
		return store.Git{Commit: commit, Branch: branch, Root: repo.root,
			Dirty: slow && commit != "" && CI(os.Getenv, os.ReadFile) == nil}
	}
	g := parseStatus(out)
	g.Root = repo.root
	return g
}

func parseStatus(out []byte) (g store.Git) {
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, len(out)+1)
	for lines.Scan() {
		key, value, _ := strings.Cut(strings.TrimPrefix(lines.Text(), "# "), " ")
		switch {
		case key == "branch.oid" && value != "(initial)":
			g.Commit = value
		case key == "branch.head" && value != "(detached)":
			g.Branch = value
		case !strings.HasPrefix(lines.Text(), "#"):
			g.Dirty = true
		}
	}
	return g
}

// GitCommand returns a command for the git program. The command never prompts. It takes no optional locks, because the
// build may need these locks.
func GitCommand(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(
		ctx, "git", append([]string{"--no-optional-locks", "--literal-pathspecs", "--no-pager"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(environment(), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0")
	cmd.WaitDelay = gitDeadline // on a busy machine the output may be read late, after git has ended
	return cmd
}

// git runs the git program and returns its output.
func git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	return output(GitCommand(ctx, dir, args...), args[0])
}

// output runs a command of git and returns its output. The parameter verb names the command in errors.
func output(cmd *exec.Cmd, verb string) ([]byte, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		what, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		return nil, &gitError{verb, what, err}
	}
	return out, nil
}

// environment returns the environment of blq without variables that point git to another repository. Git sets such
// variables for its hooks.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_NAMESPACE":
			return true
		}
		return false
	})
}

type gitError struct {
	verb, what string
	err        error
}

func (e *gitError) Error() string {
	if e.what == "" {
		return "git " + e.verb + ": " + e.err.Error()
	}
	return "git " + e.verb + ": " + e.what
}

func (e *gitError) Unwrap() error { return e.err }

// repo is a repository on disk.
type repo struct {
	root   string // top of the work tree, absolute
	dir    string // .git, or the part of it for this work tree
	common string // the .git directory that all work trees share
}

// isShallow reports whether the repository has only a part of the history, for example after git clone --depth.
func (r repo) isShallow() bool {
	_, err := os.Lstat(filepath.Join(r.common, "shallow"))
	return err == nil
}

// findRepo looks for .git in dir and above it, as git does. It reports whether there is a repository.
func findRepo(dir string) (repo, bool) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return repo{}, false
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	for {
		if r, ok := openRepo(dir); ok {
			return r, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return repo{}, false
		}
		dir = parent
	}
}

// openRepo opens the repository with the given top of its work tree, and reports whether there is such a repository.
// In additional work trees and submodules, .git is a file that names the directory.
func openRepo(root string) (repo, bool) {
	r := repo{root: root, dir: filepath.Join(root, ".git")}
	if to, ok := strings.CutPrefix(readLine(r.dir), "gitdir: "); ok {
		r.dir = join(root, to)
	}
	if readLine(filepath.Join(r.dir, "HEAD")) == "" {
		return repo{}, false
	}
	r.common = r.dir
	if to := readLine(filepath.Join(r.dir, "commondir")); to != "" {
		r.common = join(r.dir, to)
	}
	return r, true
}

func join(base, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(base, path)
}

// readLine returns the first line of a small file. It returns "" if the file cannot be read.
func readLine(path string) string {
	b, err := regularfile.ReadFile(path)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSpace(line)
}

// head returns the commit and the branch, or "" for unknown values.
func (r repo) head() (commit, branch string) {
	head := readLine(filepath.Join(r.dir, "HEAD"))
	ref, ok := strings.CutPrefix(head, "ref: ")
	if !ok {
		return head, ""
	}
	branch, _ = strings.CutPrefix(ref, "refs/heads/")
	if branch == ".invalid" { // the refs are in reftable format, which only git reads
		return "", ""
	}
	for _, dir := range []string{r.dir, r.common} {
		if commit = readLine(filepath.Join(dir, filepath.FromSlash(ref))); commit != "" {
			return commit, branch
		}
	}
	return r.packed(ref), branch
}

func (r repo) packed(ref string) string {
	f, err := regularfile.Open(filepath.Join(r.common, "packed-refs"))
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if commit, name, ok := strings.Cut(lines.Text(), " "); ok && name == ref {
			return commit
		}
	}
	return ""
}
