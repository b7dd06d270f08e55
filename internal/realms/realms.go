package realms

import (
	"context"
	"slices"
	"strings"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/realm"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// Stored finds realms in a store.
type Stored struct {
	// Facts are the facts of all repositories, because an answer about one member also reads other members.
	Facts facts.Stored
	Files *Memory // files of earlier questions; it may be nil
	// Scope has the repositories that the caller may see. Names of other members are hidden.
	Scope store.Scope
	// Told has the notifications of members, and records which notifications each Reader has seen.
	Told   store.Notifications
	Reader string
}

var _ query.Realms = Stored{}

// Realm implements query.Realms. A repository is a member if it names the realm and the realm names it. Members see the
// contracts of their common domains, even if they cannot see each other's repositories. A caller that can see the
// realm's repository sees all domains. Contracts of other members come from their branches for the RFC, or else from
// their default branches.
func (s Stored) Realm(ctx context.Context, of query.RealmOf) (query.RealmFound, error) {
	if !s.Scope.Has(of.Repo) || of.Repo == "" {
		return query.RealmFound{}, store.Errorf(store.NotFound, "there is no repository %.100s", of.Repo)
	}
	seen := s.Facts // At may only name runs that the caller can see
	seen.Scope = s.Scope
	found, err := seen.At(ctx, facts.Query{Repo: of.Repo, At: of.At, Kind: store.FactContracts})
	if err != nil {
		return query.RealmFound{}, err
	}
	own, err := s.Files.read(ctx, found.Repo, found.Set)
	if err != nil {
		return query.RealmFound{}, err
	}
	m := member{Stored: s, repo: of.Repo, commit: found.Commit, own: own, rfc: of.RFC, branches: map[string]string{}}
	if found.Untrusted {
		m.fork = found.Set
	}
	config := own.Get(realm.ConfigFile)
	switch {
	case config == nil && own.IsRealm():
		m.realm = of.Repo
		return m.whole(ctx)
	case config == nil:
		return query.RealmFound{}, query.NoRealm()
	}
	if m.config, err = realm.ParseConfig(config); err != nil {
		return query.RealmFound{}, err
	}
	if of.Realm != "" && of.Realm != m.config.Realm {
		return query.RealmFound{}, store.Hint(store.Errorf(store.NotFound, "%s is not in the realm %.100s", of.Repo,
			of.Realm), "it is in the realm %s", m.config.Realm)
	}
	if err := m.propose(ctx); err != nil {
		return query.RealmFound{}, err
	}
	if m.realm = repository(m.config.URL); m.realm == "" {
		return query.RealmFound{}, store.Hint(store.Errorf(store.NotFound, "%s does not say where the realm's repository is",
			realm.ConfigFile), "write its address: realm: {name: %s, url: https://git.example.com/acme/realm-%s}",
			m.config.Realm, m.config.Realm)
	}
	return m.found(ctx)
}

// member is a repository that asks about its realm.
type member struct {
	Stored
	repo   string
	commit string
	fork   facts.Set // files of a fork's commit, nil for other commits
	own    Files
	config realm.Config
	realm  string // repository of the realm
	// rfc is the RFC whose branches are read, or "" for none. branches holds the members' templates for the names of
	// such branches, by member.
	rfc      string
	branches map[string]string
}

// propose sets m.own and m.commit to the state of the asking repository's branch for the RFC. It changes nothing if no
// RFC is selected, or if that branch or its files are not stored.
func (m *member) propose(ctx context.Context) error {
	commit, err := m.proposed(ctx, m.repo, m.config.RFCBranch, m.rfc)
	if err != nil || commit == "" {
		return err
	}
	files, err := m.at(ctx, m.repo, commit)
	if err == nil {
		m.own, m.commit = files, commit
	}
	return known(err)
}

// known returns nil if err is NotFound. Otherwise it returns err.
func known(err error) error {
	if store.CodeOf(err) == store.NotFound {
		return nil
	}
	return err
}

// proposed returns the commit of a repository's branch for an RFC. It returns "" if there is no RFC or no such branch.
func (s Stored) proposed(ctx context.Context, repo, template, rfc string) (string, error) {
	if rfc == "" {
		return "", nil
	}
	_, commit, err := s.branchFor(ctx, repo, template, rfc)
	return commit, err
}

// branchFor returns the branch of a repository for an RFC, and its newest commit. Both results are "" if there is no
// such branch.
func (s Stored) branchFor(ctx context.Context, repo, template, rfc string) (branch, commit string, err error) {
	for _, name := range BranchesFor(template, rfc) {
		commit, err := s.Facts.Store.NamedCommit(ctx, store.Repos(repo), store.CommitName{Repo: repo, Branch: name})
		if store.CodeOf(err) == store.NotFound {
			continue
		}
		return name, commit, err
	}
	return "", "", nil
}

// whole returns the realm. The asking repository must be the realm's own repository.
func (m member) whole(ctx context.Context) (query.RealmFound, error) {
	read, err := m.read(ctx, m.own, "")
	if err != nil {
		return query.RealmFound{}, err
	}
	found := query.RealmFound{Realm: read.realm, ID: m.realm, Repo: m.repo, Commit: m.commit}
	if base, commit, err := m.base(ctx); err == nil {
		found.BaselineAt, found.Baseline = commit, realm.Read(base, read.others...)
	}
	found.Hosted, found.Branches = read.places, m.branches
	return m.hide(found, read.places), nil
}

// found returns the realm of a member.
func (m member) found(ctx context.Context) (query.RealmFound, error) {
	shared, err := m.shared(ctx)
	if err != nil {
		return query.RealmFound{}, err
	}
	read, err := m.read(ctx, shared, m.config.Repo)
	if err != nil {
		return query.RealmFound{}, err
	}
	isMember := strings.EqualFold(read.places[m.config.Repo], m.repo)
	if !isMember && !m.Scope.Has(m.realm) {
		return query.RealmFound{}, m.unknown()
	}
	m.branches[m.config.Repo] = m.config.RFCBranch
	found := query.RealmFound{Realm: read.realm, Current: m.config.Repo, ID: m.realm, Repo: m.repo,
		Commit: m.commit, Hosted: read.places, Branches: m.branches}
	if found.Name == "" {
		found.Name = m.config.Realm
	}
	if base, commit, err := m.base(ctx); err == nil {
		found.BaselineAt = commit
		found.Baseline = realm.Read(shared, append(slices.Clone(read.others),
			realm.Own{Repo: m.config.Repo, Dir: m.config.ContractsDir, Files: base})...)
	}
	return m.hide(found, read.places), nil
}

// together is a realm with the contracts of its members.
type together struct {
	realm  *realm.Realm
	others []realm.Own       // contracts of the members other than the asking member
	places map[string]string // repositories of members by name
}

// read reads a realm with the contracts of its members. current is the name of the asking member, or "" for none. The
// files of the asking member are m.own.
func (m member) read(ctx context.Context, shared Files, current string) (together, error) {
	t := together{places: map[string]string{}}
	name := ""
	bare := realm.Read(shared.Members())
	if name = bare.Name; current != "" {
		name = m.config.Realm
	}
	for _, r := range bare.Repos {
		t.places[r.Name] = place(r, m.realm)
		if r.Name == current {
			continue
		}
		own, has, err := m.filesOf(ctx, r.Name, t.places[r.Name], name)
		if err != nil {
			return t, err
		}
		if has {
			t.others = append(t.others, own)
		}
	}
	all := slices.Clone(t.others)
	if current != "" {
		all = append(all, realm.Own{Repo: current, Dir: m.config.ContractsDir, Files: m.own})
	}
	t.realm = realm.Read(shared, all...)
	return t, nil
}

// filesOf returns the files of a member from its branch for the RFC, or else from its default branch. It reports
// whether the member has joined the realm on its default branch.
func (m member) filesOf(ctx context.Context, name, repo, realmName string) (realm.Own, bool, error) {
	files, err := m.branch(ctx, repo)
	if err != nil {
		if store.CodeOf(err) == store.NotFound {
			err = nil // the member has not sent facts
		}
		return realm.Own{}, false, err
	}
	own, joined := joined(name, m.realm, realmName, files)
	if !joined {
		return own, false, nil
	}
	c, err := realm.ParseConfig(files.Get(realm.ConfigFile))
	if err != nil {
		return own, false, err
	}
	m.branches[name] = c.RFCBranch
	commit, err := m.proposed(ctx, repo, c.RFCBranch, m.rfc)
	if err != nil || commit == "" {
		return own, true, err
	}
	there, err := m.at(ctx, repo, commit)
	if err == nil {
		own.Files = there
	}
	return own, true, known(err)
}

// joined returns the given files as the files of a member. It reports whether the configuration in the files names the
// member and the realm. An empty realmName matches any realm.
func joined(name, realmRepo, realmName string, files Files) (realm.Own, bool) {
	c, err := realm.ParseConfig(files.Get(realm.ConfigFile)) // mistakes of others are not reported here
	if err != nil || realmName != "" && c.Realm != realmName || c.Repo != name ||
		!strings.EqualFold(repository(c.URL), realmRepo) {
		return realm.Own{}, false
	}
	return realm.Own{Repo: name, Dir: c.ContractsDir, Files: files}, true
}

// branch returns the files of a repository on its default branch.
func (s Stored) branch(ctx context.Context, repo string) (Files, error) { return s.at(ctx, repo, "") }

// at returns the files of a repository at a commit. Files that are equal to files in earlier are not parsed again.
func (s Stored) at(ctx context.Context, repo, commit string, earlier ...Files) (Files, error) {
	found, err := s.Facts.At(ctx, facts.Query{Repo: repo, At: commit, Kind: store.FactContracts})
	if err != nil {
		return nil, err
	}
	return s.Files.read(ctx, found.Repo, found.Set, earlier...)
}

// base returns the files at the base of the member's commit, and the hash of the base. The base is the commit at which
// the member's commit left the default branch. The history of a fork is not known, so the base of its commit is the
// commit of the default branch whose files are most like those of the fork.
func (m member) base(ctx context.Context) (Files, string, error) {
	commit, err := m.Facts.Base(ctx, m.repo, m.commit)
	if m.fork != nil && store.CodeOf(err) == store.NotFound {
		commit, err = m.likeliest(ctx)
	}
	if err != nil {
		return nil, "", err
	}
	files, err := m.at(ctx, m.repo, commit, m.own)
	return files, commit, err
}

// hide removes everything that the caller may not see.
func (m member) hide(found query.RealmFound, places map[string]string) query.RealmFound {
	if found.Current != "" && !m.Scope.Has(m.realm) {
		found.Within(found.Current)
		if found.Baseline != nil {
			found.Baseline.Within(found.Current)
		}
	}
	found.Places = map[string]string{}
	for name, repo := range places {
		if m.Scope.All() || m.Scope.Has(repo) {
			found.Places[name] = repo
		}
	}
	var hidden []string
	for _, name := range names(found.Realm, found.Baseline) {
		if name != found.Current && !m.Scope.All() && !m.Scope.Has(places[name]) {
			hidden = append(hidden, name)
		}
	}
	if len(hidden) == 0 {
		return found
	}
	hidden = realm.InOrderOfContracts(hidden, found.Realm, found.Baseline)
	found.Hidden = found.Hide(hidden)
	if found.Baseline != nil {
		found.Baseline.Hide(hidden)
	}
	return found
}

// names returns the names of all repositories in the given realms.
func names(realms ...*realm.Realm) []string {
	var all []string
	for _, r := range realms {
		if r != nil {
			all = append(all, r.Names()...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
