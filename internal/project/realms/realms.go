// Package realms finds the realm of a project on this machine. It reads the project's configuration, a clone of the
// realm's repository, and clones of other members. It may import facts, facts/realm, facts/worktree, internal/ci,
// internal/realms, internal/regularfile, internal/shellword, query and store.
package realms

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/realm"
	"github.com/blq-ci/blq/facts/worktree"
	"github.com/blq-ci/blq/internal/ci"
	shared "github.com/blq-ci/blq/internal/realms"
	"github.com/blq-ci/blq/internal/regularfile"
	"github.com/blq-ci/blq/internal/shellword"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// Project is a project on this machine.
type Project struct {
	Root string // the top of its work tree
	Home string // the user's directory, "" if unknown
	// Top returns the top of the work tree that contains a directory. It may be nil.
	Top func(dir string) string
}

var _ query.Realms = Project{}

// Realm implements query.Realms. It reads the clone of the realm's repository with uncommitted changes, so that they
// can be checked. The baseline of the realm is its default branch. The baseline of the project is the commit at which
// the checked-out branch left the default branch.
func (p Project) Realm(ctx context.Context, of query.RealmOf) (query.RealmFound, error) {
	if of.Cwd != "" {
		var err error
		if p.Root, err = p.other(of.Cwd); err != nil {
			return query.RealmFound{}, err
		}
	}
	at := of.At
	if of.RFC != "" {
		at = proposed(ctx, p.Root, p.template(), of.RFC)
	}
	own, commit, err := load(ctx, p.Root, at)
	if err != nil {
		return query.RealmFound{}, err
	}
	found := query.RealmFound{Exists: p.exists, Clones: map[string]string{}, Branches: map[string]string{},
		Commit: commit}
	config := own.Get(realm.ConfigFile)
	if config == nil {
		return p.itself(ctx, found, own, at, of.RFC)
	}
	c, err := realm.ParseConfig(config)
	if err == nil && of.Realm != "" {
		c, err = c.In(of.Realm)
	}
	if err != nil {
		return found, err
	}
	clone, err := p.clone(c)
	if err != nil {
		return found, err
	}
	now, _, err := load(ctx, clone, "")
	if err != nil {
		return found, err
	}
	found.Current = c.Repo
	found.Clones[""], found.Clones[c.Repo] = clone, p.Root
	found.Branches[c.Repo] = c.RFCBranch
	others, unread := p.others(ctx, c, now, found, of.RFC)
	found.Realm = realm.Read(now, append(others, realm.Own{Repo: c.Repo, Dir: c.ContractsDir, Files: own})...)
	found.Errors = append(found.Errors, unread...)
	if found.Name == "" {
		found.Name = c.Realm
	}
	found.ID = found.Name
	mine, start, err := base(ctx, p.Root, at, own)
	if err != nil {
		return found, nil //nolint:nilerr // there is no baseline, and the answer says so
	}
	before, err := published(ctx, clone, now)
	if err != nil {
		return found, nil //nolint:nilerr // the answer says that there is no baseline
	}
	found.BaselineAt = start
	found.Baseline = realm.Read(
		before, append(others, realm.Own{Repo: c.Repo, Dir: c.ContractsDir, Files: mine})...)
	return found, nil
}

// template returns the configured template for RFC branches. It returns "" for the default template.
func (p Project) template() string {
	text, err := regularfile.ReadFile(filepath.Join(p.Root, filepath.FromSlash(realm.ConfigFile)))
	if err != nil {
		return ""
	}
	c, err := realm.ParseConfig(text)
	if err != nil {
		return ""
	}
	return c.RFCBranch
}

// itself returns the realm for a project that is itself the realm's repository.
func (p Project) itself(ctx context.Context, found query.RealmFound, own files, at, rfc string) (
	query.RealmFound, error) {
	if !own.IsRealm() {
		return found, query.NoRealm()
	}
	name := realm.Read(own.Members()).Name
	found.Clones[""] = p.Root
	others, unread := p.others(ctx, realm.Config{Realm: name}, own, found, rfc)
	found.Realm, found.Exists = realm.Read(own, others...), nil
	found.Errors = append(found.Errors, unread...)
	found.ID = found.Name
	before, commit, err := base(ctx, p.Root, at, own)
	if err == nil {
		found.Baseline, found.BaselineAt = realm.Read(before, others...), commit
	}
	return found, nil
}

// files are the files of a repository that belong to a realm.
type files = shared.Files

// other returns the top of the project that contains a directory. The error is NotFound if there is no such directory.
func (p Project) other(dir string) (string, error) {
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(p.Root, dir)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", store.Hint(store.Errorf(store.NotFound, "there is no directory %.200s", dir),
			"cwd is the directory of a repository; leave it out for this one")
	}
	if p.Top != nil {
		dir = p.Top(dir)
	}
	return dir, nil
}

// exists reports whether a file of the project exists. It returns true for files outside of the project.
func (p Project) exists(file string) bool {
	if !filepath.IsLocal(filepath.FromSlash(file)) {
		return true
	}
	_, err := os.Stat(filepath.Join(p.Root, filepath.FromSlash(file)))
	return err == nil || !os.IsNotExist(err)
}

// clone returns the clone of the realm's repository. The error is NotFound if there is none.
func (p Project) clone(c realm.Config) (string, error) {
	usual := filepath.Join(p.Home, ".blue", "realms", c.Realm)
	dir := usual
	if c.Path != "" {
		if dir = filepath.FromSlash(c.Path); !filepath.IsAbs(dir) {
			dir = filepath.Join(p.Root, dir)
		}
	}
	for _, file := range []string{"realm.yaml", "realm.yml"} {
		if info, err := os.Lstat(filepath.Join(dir, file)); err == nil && info.Mode().IsRegular() {
			return dir, nil
		}
	}
	err := store.Errorf(store.NotFound, "the realm %s is not on this machine: there is no %s", c.Realm,
		filepath.Join(dir, "realm.yaml"))
	if c.URL == "" || c.Path != "" {
		return "", store.Hint(err, "clone its repository to %s, or write its place into %s: realm: {path: ../realm-%s}", dir,
			realm.ConfigFile, c.Realm)
	}
	return "", store.Next(err, store.Shell{Line: "git clone -- " + shellword.Join([]string{c.URL, usual}),
		Why: "clone the realm's repository"})
}

// others returns the files of the other members in clones on this machine. The files come from the default branches, or
// from the branches for an RFC. If a clone cannot be read, others adds a finding, because the clone's contracts are
// missing.
func (p Project) others(ctx context.Context, c realm.Config, now files, found query.RealmFound, rfc string) (
	all []realm.Own, unread []realm.Finding) {
	for _, r := range realm.Read(now.Members()).Repos {
		dir := p.cloneOf(r, found.Clones[""])
		if r.Name == c.Repo || dir == "" {
			continue
		}
		found.Clones[r.Name] = dir
		has, err := published(ctx, dir)
		config := has.Get(realm.ConfigFile)
		if err == nil && config == nil {
			continue // the member has not joined the realm
		}
		var other realm.Config
		if err == nil {
			other, err = realm.ParseConfig(config)
		}
		switch {
		case err != nil:
			unread = append(unread, realm.Finding{Severity: store.SeverityWarning, Kind: realm.ContractInvalid, Repo: r.Name,
				Message: "The contracts of '" + r.Name + "' in " + dir + " are not checked: " + err.Error(), Place: r.Place})
		case other.Realm == c.Realm && other.Repo == r.Name:
			found.Branches[r.Name] = other.RFCBranch
			if commit := proposed(ctx, dir, other.RFCBranch, rfc); commit != "" {
				if there, err := atCommit(ctx, dir, commit); err == nil {
					has = there
				}
			}
			all = append(all, realm.Own{Repo: r.Name, Dir: other.ContractsDir, Files: has})
		}
	}
	return all, unread
}

// cloneOf returns the clone of a member. It returns "" if there is none. The realm's entry of the member has the path
// of the clone. The path may be relative to the directory in.
func (p Project) cloneOf(r realm.Repo, in string) string {
	dir := filepath.FromSlash(r.Path)
	if dir == "" {
		return ""
	}
	if rest, ok := strings.CutPrefix(dir, "~/"); ok {
		dir = filepath.Join(p.Home, rest)
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(in, dir)
	}
	if _, err := os.Stat(filepath.Join(dir, ".git")); err != nil {
		return ""
	}
	return dir
}

// load reads the files of a repository at a commit; "" means the work tree. It also returns the commit.
func load(ctx context.Context, dir, at string) (has files, commit string, err error) {
	source := worktree.Source{Root: dir, Memory: objects}
	found, err := source.At(ctx, facts.Query{At: at, Kind: store.FactContracts})
	if err != nil {
		return nil, "", err
	}
	if at != "" {
		commit = found.Commit
	}
	has, err = shared.Read(ctx, found.Set, recent.of(dir))
	if err == nil && at == "" {
		recent.set(dir, has)
	}
	return has, commit, err
}

// base returns the files at the base of a commit, and the hash of the base. The base is the commit at which the given
// commit left the default branch. If at is "", the commit is HEAD. Files that are equal to files in like are not parsed
// again.
func base(ctx context.Context, dir, at string, like files) (files, string, error) {
	source := worktree.Source{Root: dir}
	commit, err := source.Commit(ctx, cmp.Or(at, "HEAD"))
	if err != nil {
		return nil, "", err
	}
	end, err := tip(ctx, dir)
	if err != nil {
		return nil, "", err
	}
	if commit != end {
		ancestors, err := ci.Ancestors(ctx, dir, commit, end, 1)
		if err != nil {
			return nil, "", err
		}
		commit = ancestors[0]
	}
	all, err := atCommit(ctx, dir, commit, like)
	return all, commit, err
}

// tip returns the newest commit of the default branch. It prefers the origin's branch.
func tip(ctx context.Context, dir string) (string, error) {
	if commit := ci.DefaultTip(ctx, dir); commit != "" {
		return commit, nil
	}
	return "", store.Errorf(store.NotFound, "%s has no default branch", dir)
}

// published reads the files on the default branch of a repository. Files that are equal to files in like are not parsed
// again.
func published(ctx context.Context, dir string, like ...files) (files, error) {
	commit, err := tip(ctx, dir)
	if err != nil {
		return nil, err
	}
	return atCommit(ctx, dir, commit, like...)
}

// atCommit reads the files of a repository at a commit. Files that are equal to files in like are not parsed again.
func atCommit(ctx context.Context, dir, commit string, like ...files) (files, error) {
	source := worktree.Source{Root: dir, Memory: objects}
	found, err := source.AtCommit(ctx, commit, store.FactContracts)
	if err != nil {
		return nil, err
	}
	return shared.Read(ctx, found.Set, like...)
}
