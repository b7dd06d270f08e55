package realm

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Hide replaces the names of members by names that reveal nothing, such as hidden-1, and returns the
// new names. It removes facts that come only from these members, and the places of their files. Equal
// names get equal replacements, so a realm can still be compared with its baseline. The numbers follow
// the order of the argument. Alphabetical order would reveal something about the names, so callers
// must sort the names with InOrderOfContracts.
func (r *Realm) Hide(names []string) (hidden []string) {
	to := make(map[string]string, len(names))
	for i, name := range names {
		to[name] = fmt.Sprintf("hidden-%d", i+1)
		hidden = append(hidden, to[name])
	}
	is := func(name string) bool { return to[name] != "" }
	change := func(name *string) {
		if is(*name) {
			*name = to[*name]
		}
	}
	r.Repos = slices.DeleteFunc(slices.Clone(r.Repos), func(m Repo) bool { return is(m.Name) })
	r.Errors = slices.DeleteFunc(slices.Clone(r.Errors), func(f Finding) bool {
		if !f.belongs(is) {
			return false
		}
		r.forget(f.Place.File)
		return true
	})
	for i := range r.Errors {
		r.Errors[i].Message = replaceNames(r.Errors[i].Message, to)
	}
	for i := range r.Domains {
		r.Domains[i].hide(change, is)
	}
	return hidden
}

// InOrderOfContracts sorts names of members: owners of contracts first, in the order of the contracts in the given
// realms, and then the other members in the given order.
func InOrderOfContracts(names []string, realms ...*Realm) []string {
	var list []string
	add := func(name string) {
		if slices.Contains(names, name) && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	for _, r := range realms {
		if r == nil {
			continue
		}
		for _, d := range r.Domains {
			for _, c := range d.Contracts {
				add(c.Owner)
			}
		}
	}
	for _, name := range names {
		add(name)
	}
	return list
}

// forget drops the record about a contract whose file could not be read. The record has the name of the file, which the
// caller may not see. Imports of the contract then count as broken.
func (r *Realm) forget(file string) {
	name := path.Base(file)
	for i := range r.Domains {
		delete(r.Domains[i].unread, strings.TrimSuffix(name, path.Ext(name)))
	}
}

// hide replaces names in a domain.
func (d *Domain) hide(change func(*string), is func(string) bool) {
	for i := range d.Members {
		change(&d.Members[i])
	}
	for i := range d.Contracts {
		c := &d.Contracts[i]
		if is(c.Owner) {
			c.Sources = nil
		}
		change(&c.Owner)
		for j := range c.Evolution {
			c.Evolution[j].Place.hide(change, is)
		}
		c.Place.hide(change, is)
	}
	for i := range d.Bindings {
		b := &d.Bindings[i]
		for j := range b.Exports {
			b.Exports[j].Place.hide(change, is)
		}
		for j := range b.Imports {
			b.Imports[j].Place.hide(change, is)
		}
		b.Place.hide(change, is)
		change(&b.Repo)
	}
	d.sort()
}

// hide removes the file name of a hidden repository.
func (p *Place) hide(change func(*string), is func(string) bool) {
	if is(p.In) {
		p.File, p.Line = "", 0
	}
	change(&p.In)
}

// belongs reports whether a finding is about a selected member. Such a finding is about the member's binding, about a
// file in the member's repository, or about a file of the realm that is named after the member.
func (f Finding) belongs(is func(string) bool) bool {
	parts := strings.Split(f.Place.File, "/")
	file := parts[len(parts)-1]
	aboutMember := f.Place.In == "" && (len(parts) == 2 && parts[0] == "repos" ||
		len(parts) == 4 && parts[0] == "domains" && parts[2] == "bindings")
	return is(f.Repo) || is(f.Place.In) || aboutMember && is(strings.TrimSuffix(file, path.Ext(file)))
}

// replaceNames replaces names in a message, both quoted names and names of files.
func replaceNames(message string, to map[string]string) string {
	var pairs []string
	for name, other := range to {
		pairs = append(pairs, "'"+name+"'", "'"+other+"'", strconv.Quote(name), strconv.Quote(other),
			"/"+name+".yaml", "/"+other+".yaml", "/"+name+".yml", "/"+other+".yml")
	}
	return strings.NewReplacer(pairs...).Replace(message)
}

// Within keeps only the domains in which a member takes part, the repositories of these domains, and the member's own
// repository. It removes errors in files about other domains, and in files of or about other repositories than the
// member's own.
func (r *Realm) Within(member string) {
	r.Domains = slices.DeleteFunc(slices.Clone(r.Domains), func(d Domain) bool { return !d.Has(member) })
	near := map[string]bool{member: true}
	for i := range r.Domains {
		for _, name := range r.Domains[i].Participants() {
			near[name] = true
		}
		for j := range r.Domains[i].Contracts {
			near[r.Domains[i].Contracts[j].Owner] = true
		}
	}
	r.Repos = slices.DeleteFunc(slices.Clone(r.Repos), func(m Repo) bool { return !near[m.Name] })
	r.Errors = slices.DeleteFunc(slices.Clone(r.Errors), func(f Finding) bool {
		parts := strings.Split(f.Place.File, "/")
		switch {
		case f.Place.In != "":
			return f.Place.In != member
		case parts[0] == "domains" && len(parts) > 1:
			return r.Domain(parts[1]) == nil
		case parts[0] == "repos" && len(parts) == 2:
			return strings.TrimSuffix(parts[1], path.Ext(parts[1])) != member
		}
		return false
	})
}

// Names returns the names of all repositories in the realm. Names may repeat.
func (r *Realm) Names() []string {
	var all []string
	for _, m := range r.Repos {
		all = append(all, m.Name)
	}
	for _, d := range r.Domains {
		all = append(all, d.Members...)
		for _, c := range d.Contracts {
			all = append(all, c.Owner)
		}
		for _, b := range d.Bindings {
			all = append(all, b.Repo)
		}
	}
	return slices.DeleteFunc(all, func(name string) bool { return name == "" })
}
