package realms

import (
	"context"
	"path"
	"strings"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/realm"
	"github.com/blq-ci/blq/facts/worktree"
	"github.com/blq-ci/blq/internal/ci"
	shared "github.com/blq-ci/blq/internal/realms"
	"github.com/blq-ci/blq/store"
)

// repository is a repository on this machine, with its files at a commit or in its work tree.
type repository struct {
	dir    string
	files  files
	links  []string // symbolic links that are not read
	commit string   // the commit, or the commit of the work tree; "" before the first commit
	clean  bool     // the files are those of the commit
	tip    string   // newest commit of the default branch, "" if there is none
}

// open reads a repository at a commit; "" means the work tree.
func open(ctx context.Context, dir, at string) (repository, error) {
	tip := make(chan string, 1)
	go func() { tip <- ci.DefaultTip(ctx, dir) }()
	source := worktree.Source{Root: dir, Memory: objects}
	found, err := source.At(ctx, facts.Query{At: at, Kind: store.FactContracts})
	if err != nil {
		return repository{}, err
	}
	r := repository{dir: dir, commit: found.Commit, clean: !found.Dirty, tip: <-tip,
		links: found.Links}
	r.files, err = shared.Read(ctx, found.Set, recent.of(dir))
	if err == nil && at == "" {
		recent.set(dir, r.files)
	}
	return r, err
}

// linked returns a finding for each symbolic link that would be a contract or another file of the
// realm. member is the member with the repository, and contracts is the member's directory
// of contracts. Both are "" for the realm's repository.
func (r repository) linked(member, contracts string) (all []realm.Finding) {
	for _, file := range r.links {
		isYAML := strings.HasSuffix(file, ".yaml") || strings.HasSuffix(file, ".yml")
		belongs := member == "" && !strings.HasPrefix(file, ".") ||
			member != "" && strings.HasPrefix(file, path.Clean(contracts)+"/")
		if isYAML && belongs {
			all = append(all, realm.Finding{Severity: store.SeverityError, Kind: realm.ContractInvalid,
				Message: file + " is a symbolic link, and links are not read", Place: realm.Place{In: member, File: file}})
		}
	}
	return all
}

// base returns the files at the base of the repository's commit, and the hash of the base. The base is the merge base
// of the commit and the default branch.
func (r repository) base(ctx context.Context) (files, string, error) {
	commit := r.commit
	if r.tip == "" || commit == "" {
		return nil, "", r.noBranch()
	}
	if commit != r.tip {
		var err error
		if commit, err = git(ctx, r.dir, "merge-base", commit, r.tip); err != nil {
			return nil, "", err
		}
	}
	all, err := r.at(ctx, commit)
	return all, commit, err
}

// published reads the files on the default branch.
func (r repository) published(ctx context.Context) (files, error) {
	if r.tip == "" {
		return nil, r.noBranch()
	}
	return r.at(ctx, r.tip)
}

func (r repository) noBranch() error {
	return store.Errorf(store.NotFound, "%s has no default branch", r.dir)
}

// at reads the files at a commit. Files that are equal to files of the repository are not parsed again.
func (r repository) at(ctx context.Context, commit string) (files, error) {
	if r.clean && commit == r.commit {
		return r.files, nil
	}
	return atCommit(ctx, r.dir, commit, r.files)
}

// atCommit reads the files of a repository at a commit. Files that are equal to files in reused are not parsed again.
func atCommit(ctx context.Context, dir, commit string, reused ...files) (files, error) {
	source := worktree.Source{Root: dir, Memory: objects}
	found, err := source.AtCommit(ctx, commit, store.FactContracts)
	if err != nil {
		return nil, err
	}
	return shared.Read(ctx, found.Set, reused...)
}
