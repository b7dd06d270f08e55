package realm

import (
	"path"
	"slices"

	"github.com/blq-ci/blq/facts/realm/formats"
)

// In returns a contract from the files of one repository: a member's, or with "" the realm's. It is nil if the files do
// not have the contract.
func In(member, dir string, files []File, domain, name string) *Contract {
	var r *Realm
	if member == "" {
		r = Read(files)
	} else {
		r = Read(nil, Own{Repo: member, Dir: dir, Files: files})
	}
	if d := r.Domain(domain); d != nil {
		return d.Contract(name)
	}
	return nil
}

// Needs returns a function that reports which files of its repository a contract is made of.
func (c *Contract) Needs() func(file string) bool {
	named := []string{c.Place.File, ConfigFile}
	if c.file != "" {
		named = append(named, path.Clean(c.file))
	}
	return func(file string) bool {
		return slices.Contains(named, file) || c.Format == formats.Protobuf && formats.Of(file) == formats.Protobuf
	}
}

// Is reports whether a contract says the same as another one: version, schema and value.
func (c *Contract) Is(other *Contract) bool {
	return c.Version == other.Version && c.Format == other.Format && c.SchemaHash == other.SchemaHash &&
		c.ValueHash == other.ValueHash && c.missing == other.missing
}

// Step says what a version of a contract means to users of the version before it.
type Step struct {
	Breaking bool     // a new major version, or a structure that breaks readers
	Breaks   []string // how the structure does
	Unknown  string   // why nothing more is said, "" if all was compared
}

// StepFrom compares a contract with an earlier state of it.
func (c *Contract) StepFrom(earlier *Contract) Step {
	e := effectOf(earlier, c)
	major := earlier.version != nil && c.version != nil && raisesMajor(*earlier.version, *c.version)
	return Step{major || len(e.breaks) > 0, e.breaks, e.unknown}
}
