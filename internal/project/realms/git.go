package realms

import (
	"bytes"
	"context"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/blq-ci/blq/internal/ci"
	shared "github.com/blq-ci/blq/internal/realms"
	"github.com/blq-ci/blq/store"
)

// patience is the max time that git may take, including requests to remotes.
const patience = time.Minute

// git runs git, and returns its output without surrounding space. The error is Unavailable if git fails.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := ci.GitCommand(ctx, dir, append([]string{"-c", "core.fsmonitor=false"}, args...)...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		what := strings.Join(strings.Fields(said.String()), " ")
		if len(what) > 300 {
			what = strings.ToValidUTF8(what[:300], "") + "…"
		}
		if what == "" {
			what = err.Error()
		}
		return "", store.Errorf(store.Unavailable, "git %s: %s", args[0], what)
	}
	return strings.TrimSpace(string(out)), nil
}

// commitAt returns the commit of a ref, which is given by its full name. It returns "" if it finds no commit.
func commitAt(ctx context.Context, dir, ref string) string {
	out, err := git(ctx, dir, "rev-parse", "--verify", "--quiet", ref+"^{commit}")
	if err != nil {
		return ""
	}
	return out
}

// These are the prefixes of local branches, and of the origin's branches.
const (
	heads  = "refs/heads/"
	origin = "refs/remotes/origin/"
)

// branchFor returns the branch for an RFC. The branch has the name of the RFC, or a name that follows from the
// template. local is the branch's commit in the clone, and remote is its commit at the origin. Each is "" if there is
// none.
func branchFor(ctx context.Context, dir, template, rfc string) (branch, local, remote string) {
	for _, name := range shared.BranchesFor(template, rfc) {
		if local, remote = commitAt(ctx, dir, heads+name), commitAt(ctx, dir, origin+name); local+remote != "" {
			return name, local, remote
		}
	}
	return "", "", ""
}

// countIn returns the number of commits in a range.
func countIn(ctx context.Context, dir, from, to string, more ...string) (int, error) {
	out, err := git(ctx, dir, append(append([]string{"rev-list", "--count"}, more...), to, "^"+from, "--")...)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(out)
}

// checkouts returns the work trees of a repository by their checked-out branch.
func checkouts(ctx context.Context, dir string) (map[string]string, error) {
	out, err := git(ctx, dir, "worktree", "list", "--porcelain")
	if err != nil {
		return nil, err
	}
	by, path := map[string]string{}, ""
	for line := range strings.SplitSeq(out, "\n") {
		if at, ok := strings.CutPrefix(line, "worktree "); ok {
			path = at
		} else if ref, ok := strings.CutPrefix(line, "branch "+heads); ok {
			by[ref] = path
		}
	}
	return by, nil
}

// originOf returns the host and the name of a repository's origin. It returns "" if there is no origin, or if the
// origin's address is a path or has no owner/name.
func originOf(ctx context.Context, dir string) (host, repo string) {
	address, err := git(ctx, dir, "config", "--get", "remote.origin.url")
	if err != nil {
		return "", ""
	}
	path := ""
	if u, err := url.Parse(address); err == nil && u.Scheme != "" && u.Host != "" {
		if host, path = u.Host, u.Path; !strings.HasPrefix(u.Scheme, "http") {
			host = u.Hostname() // without the port, because the port is for ssh
		}
	} else if before, after, ok := strings.Cut(address, ":"); ok && len(before) > 1 &&
		!strings.Contains(before, "/") && !strings.HasPrefix(after, "//") { // bob@host:owner/name, not file:///path
		host, path = before[strings.LastIndex(before, "@")+1:], after
	}
	repo = strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	if !store.IsRepoName(repo) {
		return "", ""
	}
	return host, repo
}

// same reports whether two paths are the same directory.
func same(a, b string) bool {
	real := func(path string) string {
		if at, err := filepath.EvalSymlinks(path); err == nil {
			return at
		}
		return filepath.Clean(path)
	}
	return real(a) == real(b)
}
