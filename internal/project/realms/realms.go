// Package realms finds the realm of a project on this machine. It reads the project's configuration, a clone of the
// realm's repository, and clones of other members. It may import facts, facts/realm, facts/worktree, internal/ci,
// internal/realms, internal/regularfile, internal/shellword, query and store.
package realms

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/blq-ci/blq/facts/realm"
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
	// Top returns the top of the work tree that contains a directory. The function may be nil.
	Top func(dir string) string
}

var _ query.Realms = Project{}

// Realm implements query.Realms. It reads the clone of the realm's repository with uncommitted changes, so that they
// can be checked. The baseline of the realm is its default branch. The baseline of the project is the commit at which
// the project's commit left the default branch. A project that is itself the realm's repository has only this baseline.
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
	own, err := open(ctx, p.Root, at)
	if err != nil {
		return query.RealmFound{}, err
	}
	found := query.RealmFound{Exists: p.exists, Clones: map[string]string{}, Tips: map[string]string{},
		Branches: map[string]string{}}
	if at != "" {
		found.Commit = own.commit
	}
	config := own.files.Get(realm.ConfigFile)
	if config == nil && slices.Contains(own.links, realm.ConfigFile) {
		return found, store.Hint(store.Errorf(store.Invalid, "%s is a symbolic link, and links are not read",
			realm.ConfigFile), "replace it by the file")
	}
	if config == nil {
		return p.itself(ctx, found, own, of.RFC)
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
	shared, err := open(ctx, clone, "")
	if err != nil {
		return found, err
	}
	found.Current = c.Repo
	found.Clones[""], found.Clones[c.Repo] = clone, p.Root
	found.Tips[""], found.Tips[c.Repo] = shared.tip, own.tip
	found.Branches[c.Repo] = c.RFCBranch
	others, unread := p.others(ctx, c, shared.files, found, of.RFC)
	found.Realm = realm.Read(
		shared.files, append(others, realm.Own{Repo: c.Repo, Dir: c.ContractsDir, Files: own.files})...)
	found.Errors = slices.Concat(found.Errors, unread, shared.linked("", ""), own.linked(c.Repo, c.ContractsDir))
	if found.Name == "" {
		found.Name = c.Realm
	}
	found.ID = found.Name
	mine, start, err := own.base(ctx)
	if err != nil {
		return found, nil //nolint:nilerr // there is no baseline, and the answer says so
	}
	before, err := shared.published(ctx)
	if err != nil {
		return found, nil //nolint:nilerr // the answer says that there is no baseline
	}
	found.BaselineAt = start
	found.Baseline = realm.Read(
		before, append(others, realm.Own{Repo: c.Repo, Dir: c.ContractsDir, Files: mine})...)
	return found, nil
}

// template returns the configured template for RFC branches. It returns "" if the configuration has no template or
// cannot be read. Then the default template applies.
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
func (p Project) itself(ctx context.Context, found query.RealmFound, own repository, rfc string) (
	query.RealmFound, error) {
	if !own.files.IsRealm() {
		return found, query.NoRealm()
	}
	name := realm.Read(own.files.Members()).Name
	found.Clones[""], found.Tips[""] = p.Root, own.tip
	others, unread := p.others(ctx, realm.Config{Realm: name}, own.files, found, rfc)
	found.Realm, found.Exists = realm.Read(own.files, others...), nil
	found.Errors = slices.Concat(found.Errors, unread, own.linked("", ""))
	found.ID = found.Name
	before, commit, err := own.base(ctx)
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

// exists reports whether a file of the project exists. It also returns true for files outside of the project, and if it
// cannot tell.
func (p Project) exists(file string) bool {
	if !filepath.IsLocal(filepath.FromSlash(file)) {
		return true
	}
	_, err := os.Stat(filepath.Join(p.Root, filepath.FromSlash(file)))
	return err == nil || !os.IsNotExist(err)
}

// clone returns the directory with the clone of the realm's repository. The error is NotFound if this directory has no
// realm.yaml or realm.yml.
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

// maxAtOnce is the max number of clones that are read at the same time.
const maxAtOnce = 4

// others returns the files of the other members in clones on this machine. The files come from the default branches, or
// from the branches for an RFC. If a clone cannot be read, others returns a finding, because the clone's contracts are
// missing. It also adds the clones, their newest commits and the patterns of their RFC branches to the parameter found.
func (p Project) others(ctx context.Context, c realm.Config, now files, found query.RealmFound, rfc string) (
	all []realm.Own, unread []realm.Finding) {
	repos := realm.Read(now.Members()).Repos
	members := make([]other, len(repos))
	free := make(chan struct{}, maxAtOnce)
	var reading sync.WaitGroup
	for i, r := range repos {
		dir := p.cloneOf(r, found.Clones[""])
		if r.Name == c.Repo || dir == "" {
			continue
		}
		found.Clones[r.Name] = dir
		reading.Go(func() {
			free <- struct{}{}
			members[i] = readOther(ctx, dir, c.Realm, r, rfc)
			<-free
		})
	}
	reading.Wait()
	for i, m := range members {
		if m.tip != "" {
			found.Tips[repos[i].Name] = m.tip
		}
		if m.joined {
			found.Branches[repos[i].Name] = m.template
			all = append(all, m.own)
		}
		unread = append(unread, m.unread...)
	}
	return all, unread
}

// other holds the contracts and the state of another member's clone.
type other struct {
	tip      string // newest commit of its default branch
	joined   bool   // whether its configuration names the realm
	own      realm.Own
	template string          // for the names of its RFC branches
	unread   []realm.Finding // why it cannot be read
}

// readOther reads the clone of another member.
func readOther(ctx context.Context, dir, realmName string, r realm.Repo, rfc string) (m other) {
	m.tip = ci.DefaultTip(ctx, dir)
	has, err := repository{dir: dir, tip: m.tip}.published(ctx)
	text := has.Get(realm.ConfigFile)
	if err == nil && text == nil {
		return m // the member has not joined the realm
	}
	var c realm.Config
	if err == nil {
		c, err = realm.ParseConfig(text)
	}
	switch {
	case err != nil:
		m.unread = []realm.Finding{{Severity: store.SeverityWarning, Kind: realm.ContractInvalid, Repo: r.Name,
			Message: "The contracts of '" + r.Name + "' in " + dir + " are not checked: " + err.Error(), Place: r.Place}}
	case c.Realm == realmName && c.Repo == r.Name:
		if commit := proposed(ctx, dir, c.RFCBranch, rfc); commit != "" {
			if there, err := atCommit(ctx, dir, commit); err == nil {
				has = there
			}
		}
		m.joined, m.template, m.own = true, c.RFCBranch, realm.Own{Repo: r.Name, Dir: c.ContractsDir, Files: has}
	}
	return m
}

// cloneOf returns the directory of a member's clone: the path in the member's entry of the realm, relative to base. It
// returns "" if the entry has no path, or if there is no git repository.
func (p Project) cloneOf(r realm.Repo, base string) string {
	dir := filepath.FromSlash(r.Path)
	if dir == "" {
		return ""
	}
	if rest, ok := strings.CutPrefix(dir, "~/"); ok {
		dir = filepath.Join(p.Home, rest)
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(base, dir)
	}
	if _, err := os.Stat(filepath.Join(dir, ".git")); err != nil {
		return ""
	}
	return dir
}
