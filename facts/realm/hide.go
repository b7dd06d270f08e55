package realm

import (
	"fmt"
	"slices"
	"strings"
)

// Hide replaces the names of members by others that say nothing, such as hidden-1, and returns those. What only they
// have said, and where their files are, is removed. Equal names are replaced equally, so a realm can be compared with
// its baseline.
func (r *Realm) Hide(names []string) (hidden []string) {
	to := make(map[string]string, len(names))
	names = slices.Clone(names)
	slices.Sort(names)
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
	r.Errors = slices.DeleteFunc(slices.Clone(r.Errors), func(f Finding) bool { return f.names(names) })
	for i := range r.Domains {
		r.Domains[i].hide(change, is)
	}
	return hidden
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

// hide removes the file of a repository that is hidden.
func (p *Place) hide(change func(*string), is func(string) bool) {
	if is(p.In) {
		p.File, p.Line = "", 0
	}
	change(&p.In)
}

// names reports whether a finding has one of the names.
func (f Finding) names(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return f.Repo == name || f.Place.In == name || strings.Contains(f.Message, name) ||
			strings.Contains(f.Place.File, name)
	})
}

// Within leaves only the domains that a member shares.
func (r *Realm) Within(member string) {
	r.Domains = slices.DeleteFunc(slices.Clone(r.Domains), func(d Domain) bool { return !d.Has(member) })
}

// Names returns the names of all repositories that the realm speaks of, each once or more often.
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
