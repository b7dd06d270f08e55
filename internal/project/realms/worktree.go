package realms

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/blq-ci/blq/facts/realm"
	"github.com/blq-ci/blq/internal/ci"
	shared "github.com/blq-ci/blq/internal/realms"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// Worktree implements query.RealmWork. Work trees are in ~/.blue/worktrees/REALM/RFC/MEMBER. If the member's branch for
// the RFC already exists, locally or at the origin, it is checked out. Otherwise a new branch begins at the fetched
// default branch of the origin, or else at the local default branch.
func (w Work) Worktree(ctx context.Context, found query.RealmFound, member, rfc string) (query.Worktree, error) {
	clone := found.Clones[member]
	if clone == "" {
		return query.Worktree{}, noClone(found, member)
	}
	path, err := w.place(found, member, rfc)
	if err != nil {
		return query.Worktree{}, err
	}
	t := tree{clone: clone, path: path, names: found.Branches[member], rfc: rfc}
	one := query.Worktree{Path: path}
	if one.Existed, err = t.exists(ctx); err != nil || one.Existed {
		return one, err
	}
	if one.Note, err = t.fetch(ctx); err != nil {
		return one, err
	}
	return one, t.add(ctx)
}

// noClone returns the error for a member without a clone on this machine.
func noClone(found query.RealmFound, member string) error {
	for _, r := range found.Repos {
		if r.Name == member && r.Path != "" {
			return store.Errorf(store.Unavailable, "there is no clone at %s, which repos/%s.yaml names", r.Path, member)
		}
	}
	return store.Errorf(
		store.Unavailable, "no clone of it is known on this machine: write its place into repos/%s.yaml: path",
		member)
}

// place returns the path of a member's work tree. The error is Conflict if the path is inside of the work tree of
// another RFC.
func (w Work) place(found query.RealmFound, member, rfc string) (string, error) {
	if w.Home == "" || !realm.IsName(found.Name) || !realm.IsName(member) || !realm.IsRFC(rfc) {
		return "", store.Errorf(store.Invalid, "%.100q of the realm %.100q cannot be a directory", rfc, found.Name)
	}
	top := filepath.Join(w.Home, ".blue", "worktrees", found.Name)
	path := filepath.Join(top, filepath.FromSlash(rfc), member)
	for at := filepath.Dir(path); len(at) > len(top); at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return "", store.Errorf(store.Conflict, "%s is a work tree already; choose another name than %s", at, rfc)
		}
	}
	return path, nil
}

// tree is the work tree of a clone for an RFC.
type tree struct{ clone, path, names, rfc string }

// exists reports whether the work tree exists. The error is Conflict if something else is in its place.
func (t tree) exists(ctx context.Context) (bool, error) {
	list, err := os.ReadDir(t.path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && len(list) == 0:
		return false, nil
	case err != nil:
		return false, store.Errorf(store.Conflict, "%s is there already, and is not a directory", t.path)
	}
	common := func(dir string) string {
		out, err := git(ctx, dir, "rev-parse", "--path-format=absolute", "--git-common-dir")
		if err != nil {
			return ""
		}
		return out
	}
	top, err := git(ctx, t.path, "rev-parse", "--show-toplevel")
	if err != nil || !same(top, t.path) || !same(common(t.path), common(t.clone)) {
		return false, store.Errorf(store.Conflict, "%s is there already, and is not a work tree of %s", t.path, t.clone)
	}
	on, err := git(ctx, t.path, "symbolic-ref", "--quiet", "--short", "HEAD")
	names := shared.BranchesFor(t.names, t.rfc)
	if err == nil && (on == names[0] || on == names[len(names)-1]) {
		return true, nil
	}
	if on == "" {
		on = "no branch"
	}
	return false, store.Errorf(store.Conflict, "%s is there already, on %s instead of %s", t.path, on, names[len(names)-1])
}

// fetch fetches from the origin. If it cannot reach the origin, it returns a note that says that the work tree begins
// at the commit that was fetched last.
func (t tree) fetch(ctx context.Context) (note string, err error) {
	if _, err := git(ctx, t.clone, "config", "--get", "remote.origin.url"); err != nil {
		return "", nil //nolint:nilerr // without an origin there is nothing to fetch
	}
	if _, err := git(ctx, t.clone, "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "origin"); err == nil {
		return "", nil
	} else if ctx.Err() != nil {
		return "", err
	}
	return "origin could not be fetched, so the work tree begins at what was fetched last", nil
}

// add creates the work tree. If an error occurs, it removes the unfinished work tree.
func (t tree) add(ctx context.Context) error {
	branch, here, there := branchFor(ctx, t.clone, t.names, t.rfc)
	args := []string{"worktree", "add", "--quiet"}
	switch {
	case here != "":
		by, err := checkouts(ctx, t.clone)
		if err != nil {
			return err
		}
		switch at := by[branch]; {
		case at == "":
		case same(at, t.path): // somebody removed the directory, and git has not noticed it yet
			args = append(args, "--force")
		default:
			return store.Errorf(store.Conflict, "its branch %s is checked out in %s", branch, at)
		}
		args = append(args, "--", t.path, branch)
	case there != "":
		args = append(args, "--track", "-b", branch, "--", t.path, "origin/"+branch)
	default:
		base := ci.DefaultBranch(ctx, t.clone)
		from := ""
		for _, ref := range []string{origin + base, heads + base} {
			if from == "" && base != "" {
				from = commitAt(ctx, t.clone, ref)
			}
		}
		if from == "" {
			return store.Errorf(store.Conflict, "it has no default branch to begin at")
		}
		names := shared.BranchesFor(t.names, t.rfc)
		branch = names[len(names)-1]
		args = append(args, "--no-track", "-b", branch, "--", t.path, from)
	}
	if _, err := git(ctx, t.clone, args...); err != nil {
		t.undo(context.WithoutCancel(ctx), branch, here == "")
		return err
	}
	return nil
}

// undo removes an unfinished work tree, and its branch if the branch is new.
func (t tree) undo(ctx context.Context, branch string, isNew bool) {
	if by, err := checkouts(ctx, t.clone); err == nil && by[branch] != "" && same(by[branch], t.path) {
		_, _ = git(ctx, t.clone, "worktree", "remove", "--force", t.path) // it may not exist
	}
	if isNew {
		_, _ = git(ctx, t.clone, "branch", "--quiet", "-D", "--", branch) // git may not have created it
	}
	for at := t.path; strings.Contains(filepath.ToSlash(at), "/.blue/worktrees/"); at = filepath.Dir(at) {
		if os.Remove(at) != nil {
			break // the directory has other work trees
		}
	}
}
