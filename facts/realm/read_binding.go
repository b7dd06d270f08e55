package realm

import (
	"cmp"
	"slices"
	"strings"

	"github.com/blq-ci/blq/internal/yamlfile"
)

func (r *reader) binding(v yamlfile.Value, domain, stem string, at Place) {
	b := Binding{Repo: cmp.Or(v.Get("repo").Text(), stem), Place: at}
	if !IsName(b.Repo) {
		r.fail(at, BindingBroken, "%.100q cannot name a repository: write letters, digits and ._-", b.Repo)
		return
	}
	if at.In != "" && b.Repo != at.In {
		r.fail(at, OwnershipViolation, "'%s' declares a binding of '%s'", at.In, b.Repo)
		return
	}
	for _, e := range r.named(v.Get("exports"), at) {
		b.Exports = append(b.Exports, Export{Contract: nameOf(e), Sources: e.Get("source_files").Texts(),
			Place: Place{at.In, at.File, e.Line()}})
	}
	for _, e := range r.named(v.Get("imports"), at) {
		b.Imports = append(b.Imports, Import{Contract: nameOf(e), Requirement: cmp.Or(e.Get("version").Text(), ">=1.0.0"),
			File: e.Get("binding").Text(), Status: e.Get("status").Text(), ResolvedVersion: e.Get("resolved_version").Text(),
			ResolvedAt: e.Get("resolved_at").Text(), Place: Place{at.In, at.File, e.LineOf("version")}})
	}
	b.Role = roleOf(v.Get("role").Text(), len(b.Exports), len(b.Imports))
	d := r.at(domain)
	switch before := d.binding(b.Repo); {
	case before == nil:
		d.Bindings = append(d.Bindings, b)
	case at.In != "":
		*before = b
	default:
		r.fail(at, BindingBroken, "'%s' has two bindings in domain '%s': also in %s", b.Repo, d.Name, before.Place.File)
	}
}

// named returns the exports or imports whose names can be names of contracts.
func (r *reader) named(entries yamlfile.Value, at Place) []yamlfile.Value {
	return slices.DeleteFunc(entries.List(), func(e yamlfile.Value) bool {
		if isTitle(nameOf(e)) {
			return false
		}
		r.fail(Place{at.In, at.File, e.Line()}, BindingBroken, "%.100q cannot name a contract", nameOf(e))
		return true
	})
}

// nameOf returns the name of the contract in an export or import. The entry is a mapping, or just the name.
func nameOf(e yamlfile.Value) string { return cmp.Or(e.Get("contract").Text(), e.Text()) }

// roleOf returns the written role, or the role that follows from the exports and imports.
func roleOf(written string, exports, imports int) Role {
	for _, role := range []Role{Provider, Consumer, Both} {
		if strings.EqualFold(written, string(role)) {
			return role
		}
	}
	switch {
	case exports > 0 && imports > 0:
		return Both
	case exports > 0:
		return Provider
	}
	return Consumer
}
