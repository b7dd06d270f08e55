// Package realm reads and checks contracts between repositories. A realm is a group of repositories that share
// contracts. The realm's own repository has YAML files for its domains, contracts and bindings. A binding lists the
// exports and imports of a repository. A contract may also be in the repository of its owner. docs/realm.md describes
// the files.
package realm

import (
	"encoding/json"
	"slices"

	"github.com/blq-ci/blq/facts/realm/formats"
)

// Realm holds the contracts of a group of repositories.
type Realm struct {
	Name    string
	Repos   []Repo
	Domains []Domain
	// Errors are findings about the files, for example: a file cannot be read, a name is invalid, or a contract
	// belongs to another repository.
	Errors []Finding

	unread map[string]bool // members with files that could not be parsed, "" for the realm's repository
}

// HasRead reports whether all files of a member could be parsed. The member "" means the realm's
// repository. If a file could not be parsed, a contract or an import may be missing although nobody
// has removed it.
func (r *Realm) HasRead(member string) bool { return !r.unread[member] }

// Place is a place in a file.
type Place struct {
	In   string // the member that has the file, "" for the realm's repository
	File string // path in the repository, with slashes
	Line int    // 1-based, 0 for the whole file
}

// Repo is a member of a realm.
type Repo struct {
	Name        string
	Org         string
	Path        string // path of a clone on this machine
	URL         string
	Maintainers []string
	JoinedAt    string
	Place       Place
}

// Domain is a topic that several repositories share.
type Domain struct {
	Name        string
	Description string
	CreatedAt   string
	Members     []string // sorted names of repositories
	Contracts   []Contract
	Bindings    []Binding
	Place       Place

	unread map[string]bool // contracts whose files could not be read
}

// Contract is an interface or a value that a repository provides to other repositories.
type Contract struct {
	Name       string
	Version    string
	Owner      string
	Backwards  bool // consumers of earlier versions still work with this version
	Forwards   bool // consumers of this version work with earlier versions
	Format     formats.Format
	Schema     json.RawMessage // JSON Schema, OpenAPI, or a JSON string in another format; nil for none
	Value      json.RawMessage // nil for none
	Validation json.RawMessage // nil for none
	Evolution  []Version
	Deprecated *Deprecation // nil if the contract is not deprecated
	Sources    []string     // files that implement the contract
	SchemaHash string       // SHA-256 of the schema in canonical form, "" for none
	ValueHash  string       // SHA-256 of the value in canonical form, "" for none
	Place      Place

	version  *semantic // nil if Version is not valid
	lines    lines
	file     string   // file with the schema, "" if the contract contains it
	imported [][]byte // files of Protocol Buffers that the schema imports
	rules    string   // rules for Protocol Buffers: file, wire_json or wire
	missing  string   // why the schema was not read, "" if it was read
	unread   bool     // the schema could not be read, and an error says why
	kept     *kept    // result of parsing the contract's file, nil if the schema is in another file
}

// Version is a version in the history of a contract.
type Version struct {
	Version    string
	Changes    json.RawMessage // a text or a list of texts
	Compatible *bool           // nil if not given
	Place      Place
}

// Deprecation describes a deprecated contract.
type Deprecation struct {
	Since      string
	ReplacedBy string
}

// lines are the line numbers of the keys that findings mention.
type lines struct{ version, schema, value, owner int }

// Role is the role of a repository in a domain.
type Role string

// These are the roles of a repository in a domain.
const (
	Provider Role = "Provider"
	Consumer Role = "Consumer"
	Both     Role = "Both"
)

// Binding lists the exports and imports of a repository in a domain.
type Binding struct {
	Repo    string
	Role    Role
	Exports []Export
	Imports []Import
	Place   Place
}

// Export is a contract that a repository provides.
type Export struct {
	Contract string
	Sources  []string // files that implement the contract
	Place    Place
}

// Import is a contract that a repository uses.
type Import struct {
	Contract        string
	Requirement     string // a range of versions
	File            string // file that uses the contract
	Status          string // pending, current, outdated or broken
	ResolvedVersion string
	ResolvedAt      string
	Place           Place
}

// Domain returns the domain with a name, or nil if there is none.
func (r *Realm) Domain(name string) *Domain {
	for i := range r.Domains {
		if r.Domains[i].Name == name {
			return &r.Domains[i]
		}
	}
	return nil
}

// Has reports whether a repository is a member of the domain, or has a binding in it.
func (d *Domain) Has(repo string) bool {
	return slices.Contains(d.Members, repo) || d.binding(repo) != nil
}

// Participants returns the members of the domain and the repositories with a binding in it, sorted.
func (d *Domain) Participants() []string {
	all := slices.Clone(d.Members)
	for _, b := range d.Bindings {
		all = append(all, b.Repo)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Contract returns the contract with a name, or nil if there is none.
func (d *Domain) Contract(name string) *Contract {
	for i := range d.Contracts {
		if d.Contracts[i].Name == name {
			return &d.Contracts[i]
		}
	}
	return nil
}

// binding returns the binding of a repository, or nil if there is none.
func (d *Domain) binding(repo string) *Binding {
	for i := range d.Bindings {
		if d.Bindings[i].Repo == repo {
			return &d.Bindings[i]
		}
	}
	return nil
}

// user is a repository that imports a contract.
type user struct {
	repo string
	by   *Import
}

// users returns the repositories that import a contract, sorted by name.
func (d *Domain) users(contract string) []user {
	var all []user
	for i := range d.Bindings {
		for j := range d.Bindings[i].Imports {
			if d.Bindings[i].Imports[j].Contract == contract {
				all = append(all, user{d.Bindings[i].Repo, &d.Bindings[i].Imports[j]})
			}
		}
	}
	return all
}
