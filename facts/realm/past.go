package realm

import (
	"path"
	"slices"

	"github.com/blq-ci/blq/facts/realm/formats"
)

// In returns a contract as the files of one repository describe it. member is "" for the repository of the realm. It
// returns nil if the files do not contain the contract.
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

// Needs returns a function that reports whether a contract needs a file of its repository.
func (c *Contract) Needs() func(file string) bool {
	named := []string{c.Place.File, ConfigFile}
	if c.file != "" {
		named = append(named, path.Clean(c.file))
	}
	return func(file string) bool {
		return slices.Contains(named, file) || c.Format == formats.Protobuf && formats.Of(file) == formats.Protobuf
	}
}

// Is reports whether two contracts have the same version, schema and value.
func (c *Contract) Is(other *Contract) bool {
	return c.Version == other.Version && c.Format == other.Format && c.SchemaHash == other.SchemaHash &&
		c.ValueHash == other.ValueHash && c.missing == other.missing
}

// Step is the effect of a new version of a contract on users of the earlier version.
type Step struct {
	Breaking bool     // a new major version, or a structure that breaks readers
	Breaks   []string // breaking changes of the structure
	Unknown  string   // why the comparison is incomplete, "" if it is complete
}

// StepFrom compares a contract with an earlier state of it.
func (c *Contract) StepFrom(earlier *Contract) Step {
	e := effectOf(earlier, c)
	major := earlier.version != nil && c.version != nil && raisesMajor(*earlier.version, *c.version)
	return Step{major || len(e.breaks) > 0, e.breaks, e.unknown}
}
