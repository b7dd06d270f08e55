package realm

import "slices"

// Impact is a change of a contract, with the users of the contract.
type Impact struct {
	Domain, Contract string
	Old, New         string   // versions; New is "" if the contract was removed
	Breaks           []string // breaking changes
	Dangers          []string // dangerous changes
	Unknown          string   // why the comparison is incomplete, "" if it is complete
	Users            []Use
}

// Use is an import of a contract.
type Use struct {
	Repo        string
	Requirement string
	Fits        bool // the new version is in the required range, or the range cannot be parsed
}

// Impacts returns the changes and removals of the contracts that a member owns, sorted by domain and contract.
func Impacts(before, after *Realm, owner string) []Impact {
	var all []Impact
	if owner == "" || before == nil {
		return nil
	}
	for i := range before.Domains {
		old := &before.Domains[i]
		now := after.Domain(old.Name)
		if now == nil {
			now = &Domain{}
		}
		for j := range old.Contracts {
			was := &old.Contracts[j]
			is := now.Contract(was.Name)
			if was.Owner != owner || is != nil && is.Version == was.Version && is.SchemaHash == was.SchemaHash {
				continue
			}
			one := impact(old, now, was, is)
			if is == nil && !after.HasRead(was.Place.In) {
				one.New, one.Breaks, one.Unknown = was.Version, nil, "a file cannot be read, so it may still be there"
			}
			all = append(all, one)
		}
	}
	return all
}

// impact describes the change of a contract. The later state is nil if the contract was removed.
func impact(old, now *Domain, was, is *Contract) Impact {
	one := Impact{Domain: old.Name, Contract: was.Name, Old: was.Version}
	if is == nil {
		one.Breaks = []string{"it was removed"}
	} else {
		one.New = is.Version
		e := effectOf(was, is)
		one.Breaks, one.Dangers, one.Unknown = e.breaks, e.dangers, e.unknown
	}
	users := now.users(was.Name)
	if is == nil {
		users = old.users(was.Name)
	}
	for _, u := range users {
		use := Use{Repo: u.repo, Requirement: u.by.Requirement, Fits: is != nil}
		if is != nil && is.version != nil {
			if r, err := parseRequirement(u.by.Requirement); err == nil {
				use.Fits = r.fulfils(*is.version)
			}
		}
		one.Users = append(one.Users, use)
	}
	return one
}

// Files returns the sorted files of the owner that implement a contract. These are the files that the contract or a
// binding names, and the file with the schema.
func (d *Domain) Files(contract string) []string {
	c := d.Contract(contract)
	if c == nil {
		return nil
	}
	files := slices.Clone(c.Sources)
	if c.file != "" {
		files = append(files, c.file)
	}
	if b := d.binding(c.Owner); b != nil {
		for _, e := range b.Exports {
			if e.Contract == contract {
				files = append(files, e.Sources...)
			}
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// Uses returns the imports of a contract, sorted by repository.
func (d *Domain) Uses(contract string) []Use {
	var all []Use
	for _, u := range d.users(contract) {
		all = append(all, Use{Repo: u.repo, Requirement: u.by.Requirement, Fits: true})
	}
	return all
}
