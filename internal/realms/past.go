package realms

import (
	"context"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/realm"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// Line is the history of a repository, newest commit first.
type Line interface {
	// Changed returns the newest commits that changed any of the files for which the function files returns true. The
	// result has at most max commits, newest first. The search begins at the commit from, and continues with its
	// ancestors.
	Changed(ctx context.Context, from string, files func(file string) bool, max int) ([]string, error)
	// Before returns the commit before a commit, or "" if that commit is unknown.
	Before(ctx context.Context, commit string) (string, error)
	// Files returns the files of a commit. The error is NotFound if the files are unknown.
	Files(ctx context.Context, commit string) (Files, error)
}

// maxMoves is the max number of places of a contract that are searched, because a contract may move from file to file.
// States in older places are not found.
const maxMoves = 10

// Past returns the states of a contract at the commit from and before, newest first, at most max. The parameter line
// reads the history of a member's repository, or of the realm's repository if member is "".
func Past(ctx context.Context, line Line, member, domain, name, from string, max int) ([]query.ContractWas, error) {
	at := func(commit string) (*realm.Contract, error) {
		files, err := line.Files(ctx, commit)
		if store.CodeOf(err) == store.NotFound {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		dir := ""
		if member != "" {
			c, err := realm.ParseConfig(files.Get(realm.ConfigFile))
			if err != nil || c.Repo != member {
				return nil, nil //nolint:nilerr // the repository was not a member at that time
			}
			dir = c.ContractsDir
		}
		return realm.In(member, dir, files, domain, name), nil
	}
	var all []query.ContractWas
	for range maxMoves {
		c, err := at(from)
		if err != nil || c == nil {
			return all, err
		}
		commits, err := line.Changed(ctx, from, c.Needs(), max-len(all))
		if err != nil || len(commits) == 0 {
			return all, err
		}
		last := ""
		for _, commit := range commits {
			was, err := at(commit)
			if err != nil {
				return all, err
			}
			if was == nil { // the contract was moved into this file later
				break
			}
			all, last = append(all, query.ContractWas{In: member, Commit: commit, Contract: was}), commit
		}
		if len(all) >= max || last == "" {
			return all, nil
		}
		if from, err = line.Before(ctx, last); err != nil || from == "" {
			return all, err
		}
	}
	return all, nil
}

// Past implements query.Realms.
func (s Stored) Past(ctx context.Context, found query.RealmFound, member, domain, name string, max int) (
	[]query.ContractWas, error) {
	repo := found.ID
	if member != "" {
		repo = found.Places[member]
	}
	if repo == "" || !s.Scope.Has(repo) {
		return nil, store.Errorf(store.Forbidden, "the repository with its file may not be seen")
	}
	from := found.Commit
	if member != found.Current {
		head, err := s.Facts.At(ctx, facts.Query{Repo: repo, Kind: store.FactContracts})
		if err != nil {
			return nil, known(err)
		}
		from = head.Commit
	}
	line := &storedLine{facts: s.Facts, repo: repo}
	if err := line.load(ctx, from); err != nil || len(line.snapshots) == 0 {
		return nil, err
	}
	return Past(ctx, line, member, domain, name, line.snapshots[0].Commit, max)
}

// storedLine is the first-parent history of a repository in a store. It has only commits whose contracts are stored.
type storedLine struct {
	facts     facts.Stored
	repo      string
	snapshots []store.Snapshot // newest first
}

// maxManifests is the max number of pairs of manifests that a search for changes compares.
const maxManifests = 200

func (l *storedLine) load(ctx context.Context, from string) error {
	line, err := l.facts.Store.FirstParents(ctx, store.Repos(l.repo), l.repo, from)
	if err != nil {
		return err
	}
	list, err := l.facts.Store.Snapshots(ctx, store.Repos(l.repo), store.SnapshotFilter{Repo: l.repo, Commits: line,
		Kind: store.FactContracts})
	if err != nil {
		return err
	}
	by := make(map[string]store.Snapshot, len(list))
	for _, s := range list {
		if !s.Fork {
			by[s.Commit] = s
		}
	}
	for _, commit := range line {
		if s, known := by[commit]; known {
			l.snapshots = append(l.snapshots, s)
		}
	}
	return nil
}

// index returns the index of a commit in l.snapshots, or len(l.snapshots) if the commit is not there.
func (l *storedLine) index(commit string) int {
	for i, s := range l.snapshots {
		if s.Commit == commit {
			return i
		}
	}
	return len(l.snapshots)
}

// Changed implements Line. A commit without facts counts as unchanged. Its changes are attributed to the next commit
// with facts.
func (l *storedLine) Changed(ctx context.Context, from string, files func(file string) bool, max int) (
	[]string, error) {
	digests := func(s store.Snapshot) (string, error) {
		set, err := l.facts.Set(ctx, s)
		if err != nil {
			return "", known(err)
		}
		text := ""
		for _, f := range set.Files() {
			if files(f.Path) {
				text += f.Path + " " + f.Digest + "\n"
			}
		}
		return text, nil
	}
	var all []string
	var is string
	read := 0
	for i := l.index(from); i < len(l.snapshots) && len(all) < max && read < maxManifests; i++ {
		if i+1 < len(l.snapshots) && l.snapshots[i+1].Manifest == l.snapshots[i].Manifest {
			continue
		}
		var err error
		if read == 0 {
			if is, err = digests(l.snapshots[i]); err != nil {
				return nil, err
			}
		}
		read++
		was := ""
		if i+1 < len(l.snapshots) {
			if was, err = digests(l.snapshots[i+1]); err != nil {
				return nil, err
			}
		}
		if is != was {
			all = append(all, l.snapshots[i].Commit)
		}
		is = was
	}
	return all, nil
}

// Before implements Line.
func (l *storedLine) Before(_ context.Context, commit string) (string, error) {
	if i := l.index(commit) + 1; i < len(l.snapshots) {
		return l.snapshots[i].Commit, nil
	}
	return "", nil
}

// Files implements Line.
func (l *storedLine) Files(ctx context.Context, commit string) (Files, error) {
	i := l.index(commit)
	if i == len(l.snapshots) {
		return nil, store.Errorf(store.NotFound, "nothing is known of %.12s", commit)
	}
	set, err := l.facts.Set(ctx, l.snapshots[i])
	if err != nil {
		return nil, err
	}
	return Read(ctx, set)
}
