package query

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/blq-ci/blq/facts/realm"
	"github.com/blq-ci/blq/store"
)

// Realms finds the contracts that a repository shares with others. A realm is a group of repositories that share
// contracts.
type Realms interface {
	// Realm returns the realm of a repository. NotFound: the repository belongs to no realm or not to the named realm,
	// or a repository or commit is not there. Invalid: the realm's configuration is not valid.
	Realm(ctx context.Context, of RealmOf) (RealmFound, error)
	// Past returns at most max states of a contract, newest first. Each commit that changed the contract's file is one
	// state. member names the repository with the file; "" means the realm's repository. Forbidden: the caller may not
	// see the repository. NotFound: the repository is not on this machine, or has no commits. A service returns no
	// states for a repository without stored contracts.
	Past(ctx context.Context, found RealmFound, member, domain, contract string, max int) ([]ContractWas, error)
	notices
}

// ContractWas is the state of a contract at a commit.
type ContractWas struct {
	*realm.Contract
	In     string // the member whose repository has the commit, "" for the realm's
	Commit string // "" for a state that is not committed
}

// RealmAt names the repository of a question about a realm: a group of repositories that share contracts.
type RealmAt struct {
	Cwd  string `json:"cwd,omitempty" jsonschema:"directory of the repository"`
	Repo string `json:"repo,omitempty" jsonschema:"owner/name" hosted:"true"`
}

// RealmOf selects the realm of a repository, and its state.
type RealmOf struct {
	RealmAt
	At    string // a commit, "" for the work tree or the default branch
	Realm string // another realm's name; "" selects the repository's own realm
	RFC   string // a member with a branch for this RFC is read at that branch
}

// RealmFound is a realm as one repository sees it.
type RealmFound struct {
	*realm.Realm
	Current string // the repository's name in the realm, "" for the realm's own repository
	// Commit is the commit of the repository in the question. "" means the work tree. On one machine, Commit may be any
	// name of a commit, such as HEAD.
	Commit string
	// Baseline is the earlier state with which contracts are compared, and BaselineAt is the commit of that state. If
	// there is no earlier state, Baseline is nil and BaselineAt is "".
	Baseline   *realm.Realm
	BaselineAt string
	// Exists reports whether a file exists in the repository. Exists may be nil.
	Exists func(file string) bool
	// Clones holds the directories of repositories on this machine. The keys are names of members; "" is the realm's
	// repository.
	Clones map[string]string
	// Tips holds the newest commits of the default branches of the repositories in Clones. It has the same keys. It is
	// nil on a server.
	Tips map[string]string
	// ID identifies the realm. On a server it is the name of the realm's repository. On one machine it is the name of
	// the realm.
	ID string
	// Repo is the repository in the question, owner/name. It is "" if there is only one repository.
	Repo string
	// Hosted maps the names of members to their repositories at a forge, owner/name. It is nil on one machine, and for
	// the realm's own repository.
	Hosted map[string]string
	// Branches maps the names of members to templates for the names of RFC branches; see realm.BranchOf.
	Branches map[string]string
	// Places has an entry for each member that the caller may see: the member's name and repository. It is nil on one
	// machine.
	Places map[string]string
	// Hidden holds substitute names. Each stands for a member that the caller may not see.
	Hidden []string
	// Session is the ID of the caller's open session. It is "" if no session is open.
	Session string
}

// NoRealm returns the NotFound error for a repository outside all realms.
func NoRealm() error {
	return store.Hint(store.Errorf(store.NotFound, "not in a realm repo: %s is not there", realm.ConfigFile),
		"join a realm: write %s with the realm's name and url, and the name of this repository: realm: {name: aperture, "+
			"url: https://git.example.com/acme/realm-aperture}, and below it repo: blue", realm.ConfigFile)
}

// hides reports whether a name is a substitute for a member that the caller may not see.
func (f RealmFound) hides(name string) bool { return slices.Contains(f.Hidden, name) }

// succeeded is the status of a successful answer about a realm.
const succeeded = "success"

// RealmCheckParams select the state of a realm.
type RealmCheckParams struct {
	RealmAt
	Realm  string `json:"realm,omitempty" jsonschema:"name of another realm"`
	At     string `json:"at,omitempty" jsonschema:"commit, branch or tag"`
	Strict bool   `json:"strict,omitempty" jsonschema:"warnings make it invalid too"`
}

// RealmChecked is the answer of RealmCheck. It lists problems, the hashes of the schemas, and pending notifications.
type RealmChecked struct {
	Status       string         `json:"status" jsonschema:"success"`
	Realm        string         `json:"realm" jsonschema:"name"`
	CurrentRepo  string         `json:"current_repo" jsonschema:"empty for the realm's own repository"`
	Valid        bool           `json:"valid" jsonschema:"no errors"`
	Errors       []RealmFinding `json:"errors" jsonschema:"findings that break a member"`
	Warnings     []RealmFinding `json:"warnings" jsonschema:"findings to look at"`
	SchemaHashes []SchemaHash   `json:"schema_hashes" jsonschema:"of all contracts that were checked"`
	Notices      []Notification `json:"notifications" jsonschema:"pending ones"`
	Baseline     *string        `json:"baseline" jsonschema:"commit that contracts were compared with; null: with none"`
	NextSteps    []string       `json:"next_steps" jsonschema:"advice"`
}

// Failed reports whether the check fails.
func (r RealmChecked) Failed() bool { return !r.Valid }

// RealmFinding is a problem in a realm, for example of a contract or of a repository that imports the contract.
type RealmFinding struct {
	Kind     string `json:"kind" jsonschema:"kind"`
	Message  string `json:"message" jsonschema:"text"`
	Domain   string `json:"domain,omitempty" jsonschema:"domain"`
	Contract string `json:"contract,omitempty" jsonschema:"contract"`
	Repo     string `json:"repo,omitempty" jsonschema:"whose binding"`
	In       string `json:"in" jsonschema:"repository with the file, empty for the realm's"`
	File     string `json:"file,omitempty" jsonschema:"file"`
	Line     int    `json:"line,omitempty" jsonschema:"line"`
	// Path is the path of the file on this machine if the file is in another repository. Otherwise, or if the path is
	// unknown, it is "".
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

// RealmCheck checks the contracts, exports and imports of the domains to which the repository belongs. For the realm's
// own repository, it checks all domains.
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
	told, err := a.notified(ctx, found, pendingState)
	r.Notices, r.NextSteps = told.list, told.withNotices(r.next())
	return r, err
}

// realm returns the realm of the repository in the question, with the ID of the caller's open session. If a session is
// open, realm also records that the session is active.
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

// realmOf adds the repository to a question without a repository, if the caller can see exactly one. For a caller who
// can see all repositories, it changes nothing. The error is NotFound if there are no realms here, or if the caller may
// not see the repository. It is Invalid if the repository is missing and the caller can see none or several.
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

// maxNextSteps is the max number of next steps in an answer.
const maxNextSteps = 5

// next returns the next steps after a check, errors first.
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

// next returns the next step after a finding, or "" if there is none.
func (f RealmFinding) next() string {
	switch realm.Kind(f.Kind) {
	case realm.BreakingWithoutMajor:
		return fmt.Sprintf("Raise the major version of %s, or undo what breaks its consumers", f.Contract)
	case realm.SchemaChangedUnbumped:
		return fmt.Sprintf("Raise the version of %s", f.Contract)
	case realm.VersionMismatch, realm.ImportUnsatisfied, realm.Outdated:
		return fmt.Sprintf("Bring the import of %s by %s up to date", f.Contract, f.Repo)
	case realm.BindingBroken:
		if f.Contract == "" {
			return fmt.Sprintf("Mend %s", f.File)
		}
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
