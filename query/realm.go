package query

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/blq-ci/blq/facts/realm"
	"github.com/blq-ci/blq/store"
)

// Realms finds the contracts that a repository shares with others.
type Realms interface {
	// Realm returns the realm of a repository. NotFound: it belongs to none, or the realm's repository is not here.
	// Invalid: its configuration is not valid.
	Realm(ctx context.Context, of RealmOf) (RealmFound, error)
	// Past returns the states of a contract, newest first, up to a number: one for each commit that changed its file in
	// the repository of a member, or with "" in the realm's. Forbidden, NotFound: the repository may not be seen, or is
	// not here.
	Past(ctx context.Context, found RealmFound, member, domain, contract string, max int) ([]ContractWas, error)
	notices
}

// ContractWas is the state of a contract at a commit.
type ContractWas struct {
	*realm.Contract
	In     string // the member in whose repository the commit is, "" for the realm's
	Commit string // "" for a state that no commit has
}

// RealmAt says which repository asks.
type RealmAt struct {
	Cwd  string `json:"cwd,omitempty" jsonschema:"directory of the repository"`
	Repo string `json:"repo,omitempty" jsonschema:"owner/name" hosted:"true"`
}

// RealmOf says which repository's realm is wanted, and at which state.
type RealmOf struct {
	RealmAt
	At    string // a commit, "" for the work tree or the default branch
	Realm string // name of another realm, "" for the repository's own
	RFC   string // members that have a branch for the RFC are read there
}

// RealmFound is the realm of a repository.
type RealmFound struct {
	*realm.Realm
	Current string // name of the repository in the realm, "" for the realm's own repository
	// Commit is the commit of the repository that is asked about, "" for its work tree. On one machine it may be any
	// name.
	Commit string
	// Baseline is the state that contracts are compared with, and BaselineAt its commit; nil and "" if there is none.
	Baseline   *realm.Realm
	BaselineAt string
	// Exists reports whether a file of the repository is there. It may be nil.
	Exists func(file string) bool
	// Clones are the places of repositories on this machine, by name; "" is the realm's.
	Clones map[string]string
	// ID tells the realm from others: the realm's repository, or its name where it is on one machine.
	ID string
	// Repo is the repository, owner/name; "" where there is only one.
	Repo string
	// Hosted are the repositories of members at a forge, owner/name, by member; nil on one machine.
	Hosted map[string]string
	// Branches are the templates of branches for RFCs, by member; see realm.BranchOf.
	Branches map[string]string
	// Places are the repositories of members that the caller may see, by name; nil on one machine.
	Places map[string]string
	// Hidden are the names that stand for members that the caller may not see.
	Hidden []string
	// Session is the open session of the caller, "" for none.
	Session string
}

// NoRealm returns the NotFound of a repository that is in no realm.
func NoRealm() error {
	return store.Hint(store.Errorf(store.NotFound, "not in a realm repo: %s is not there", realm.ConfigFile),
		"join a realm: write %s with the realm's name and url, and the name of this repository: realm: {name: aperture, "+
			"url: https://git.example.com/acme/realm-aperture}, and below it repo: blue", realm.ConfigFile)
}

// hides reports whether a name stands for a member that the caller may not see.
func (f RealmFound) hides(name string) bool { return slices.Contains(f.Hidden, name) }

// succeeded is the status of an answer about a realm.
const succeeded = "success"

// RealmCheckParams select the state of a realm.
type RealmCheckParams struct {
	RealmAt
	Realm  string `json:"realm,omitempty" jsonschema:"name of another realm"`
	At     string `json:"at,omitempty" jsonschema:"commit, branch or tag"`
	Strict bool   `json:"strict,omitempty" jsonschema:"warnings make it invalid too"`
}

// RealmChecked says what is wrong with contracts and bindings.
type RealmChecked struct {
	Status       string         `json:"status" jsonschema:"success"`
	Realm        string         `json:"realm" jsonschema:"name"`
	CurrentRepo  string         `json:"current_repo" jsonschema:"empty for the realm's own repository"`
	Valid        bool           `json:"valid" jsonschema:"no errors"`
	Errors       []RealmFinding `json:"errors" jsonschema:"what breaks somebody"`
	Warnings     []RealmFinding `json:"warnings" jsonschema:"what should be looked at"`
	SchemaHashes []SchemaHash   `json:"schema_hashes" jsonschema:"of all contracts that were checked"`
	Notices      []Notification `json:"notifications" jsonschema:"pending ones"`
	Baseline     *string        `json:"baseline" jsonschema:"commit that contracts were compared with; null: with none"`
	NextSteps    []string       `json:"next_steps" jsonschema:"what to do"`
}

// Failed reports whether the check fails.
func (r RealmChecked) Failed() bool { return !r.Valid }

// RealmFinding is what is wrong with a contract or a binding.
type RealmFinding struct {
	Kind     string `json:"kind" jsonschema:"kind"`
	Message  string `json:"message" jsonschema:"text"`
	Domain   string `json:"domain,omitempty" jsonschema:"domain"`
	Contract string `json:"contract,omitempty" jsonschema:"contract"`
	Repo     string `json:"repo,omitempty" jsonschema:"whose binding"`
	In       string `json:"in" jsonschema:"repository with the file, empty for the realm's"`
	File     string `json:"file,omitempty" jsonschema:"file"`
	Line     int    `json:"line,omitempty" jsonschema:"line"`
	// Path is the path on this machine of a file in another repository, "" if it is not known.
	Path string `json:"-"`
}

// SchemaHash identifies the schema of a contract.
type SchemaHash struct {
	Domain     string `json:"domain" jsonschema:"domain"`
	Contract   string `json:"contract" jsonschema:"contract"`
	Version    string `json:"version" jsonschema:"version"`
	SchemaHash string `json:"schema_hash" jsonschema:"SHA-256"`
	Owner      string `json:"owner" jsonschema:"owner"`
}

// RealmCheck checks the contracts and bindings of the domains that the repository is in.
func (a *Asker) RealmCheck(ctx context.Context, p RealmCheckParams) (RealmChecked, error) {
	found, err := a.realm(ctx, RealmOf{RealmAt: p.RealmAt, At: p.At, Realm: p.Realm})
	if err != nil {
		return RealmChecked{}, err
	}
	r := RealmChecked{Status: succeeded, Realm: found.Name, CurrentRepo: found.Current, Errors: []RealmFinding{},
		Warnings: []RealmFinding{}, SchemaHashes: found.hashes()}
	check := realm.Check{Repo: found.Current, Baseline: found.Baseline, Exists: found.Exists}
	for _, f := range check.Of(found.Realm) {
		if found.hides(f.Repo) || found.hides(f.Place.In) {
			continue
		}
		one := RealmFinding{Kind: string(f.Kind), Message: Clean(f.Message), Domain: f.Domain, Contract: f.Contract,
			Repo: f.Repo,
			In:   f.Place.In, File: f.Place.File, Line: f.Place.Line}
		if clone := found.Clones[f.Place.In]; clone != "" && f.Place.In != found.Current {
			one.Path = filepath.Join(clone, filepath.FromSlash(f.Place.File))
		}
		if f.Severity == store.SeverityError {
			r.Errors = append(r.Errors, one)
		} else {
			r.Warnings = append(r.Warnings, one)
		}
	}
	r.Valid = len(r.Errors) == 0 && (!p.Strict || len(r.Warnings) == 0)
	if found.Baseline != nil {
		r.Baseline = &found.BaselineAt
	}
	told, err := a.told(ctx, found, pendingState)
	r.Notices, r.NextSteps = told.list, told.withNotices(r.next())
	return r, err
}

// realm returns the realm of the repository that asks, whose session is active.
func (a *Asker) realm(ctx context.Context, of RealmOf) (RealmFound, error) {
	of, err := a.realmOf(of)
	if err != nil {
		return RealmFound{}, err
	}
	found, err := a.Realms.Realm(ctx, of)
	if err == nil && a.Work != nil {
		var s store.Session
		s, err = a.session(ctx, of.RealmAt)
		if found.Session = s.ID; store.CodeOf(err) == store.NotFound {
			found.Session, err = "", nil
		}
	}
	return found, err
}

// realmOf names the repository that asks. NotFound: the caller may not see it. Invalid: it is not clear which one it
// is.
func (a *Asker) realmOf(of RealmOf) (RealmOf, error) {
	if a.Realms == nil {
		return of, store.Hint(store.Errorf(store.NotFound, "there are no realms here"), "ask where the repository is")
	}
	switch names := a.Scope.Names(); {
	case a.Scope.All():
	case of.Repo != "" && !a.Scope.Has(of.Repo):
		return of, store.Errorf(store.NotFound, "there is no repository %.100s", of.Repo)
	case of.Repo == "" && len(names) == 1:
		of.Repo = names[0]
	case of.Repo == "":
		return of, store.Hint(store.Errorf(store.Invalid, "the realm of which repository?"), "name it: repo=\"owner/name\"")
	}
	return of, nil
}

// hashes returns the hashes of the schemas in the domains of the repository.
func (f RealmFound) hashes() []SchemaHash {
	list := []SchemaHash{}
	for _, d := range f.Domains {
		if f.Current != "" && !d.Has(f.Current) {
			continue
		}
		for _, c := range d.Contracts {
			if c.SchemaHash != "" {
				list = append(list, SchemaHash{d.Name, c.Name, c.Version, c.SchemaHash, c.Owner})
			}
		}
	}
	return list
}

// maxNextSteps is the max number of sentences that say what to do.
const maxNextSteps = 5

// next says what to do after a check, errors first.
func (r RealmChecked) next() []string {
	var steps []string
	for _, f := range slices.Concat(r.Errors, r.Warnings) {
		if step := f.next(); step != "" && !slices.Contains(steps, step) && len(steps) < maxNextSteps {
			steps = append(steps, step)
		}
	}
	if len(steps) == 0 && len(r.Errors)+len(r.Warnings) > 0 {
		steps = append(steps, fmt.Sprintf("Review %d errors and %d warnings", len(r.Errors), len(r.Warnings)))
	}
	if r.Baseline == nil && len(steps) < maxNextSteps {
		steps = append(steps, "Changes were not checked: there is no baseline; fetch the default branch")
	}
	if len(steps) == 0 {
		steps = []string{"All checks passed. Ready to proceed."}
	}
	return steps
}

// next says what to do about a finding. Names of others are not in it unless they are plain.
func (f RealmFinding) next() string {
	switch realm.Kind(f.Kind) {
	case realm.BreakingWithoutMajor:
		return fmt.Sprintf("Raise the major version of %s, or undo what breaks its consumers", f.Contract)
	case realm.SchemaChangedUnbumped:
		return fmt.Sprintf("Raise the version of %s", f.Contract)
	case realm.VersionMismatch, realm.ImportUnsatisfied, realm.Outdated:
		return fmt.Sprintf("Bring the import of %s by %s up to date", f.Contract, f.Repo)
	case realm.BindingBroken:
		return fmt.Sprintf("Add contract %s to domain %s, or remove it from the binding of %s", f.Contract, f.Domain, f.Repo)
	case realm.OwnershipViolation:
		return "Let the owner of a contract change it"
	case realm.ContractInvalid, realm.ValueInvalid, realm.VersionRegressed, realm.EvolutionBehind:
		return fmt.Sprintf("Mend %s", f.File)
	case realm.CycleDetected:
		return "Break the dependency cycle"
	}
	return ""
}
