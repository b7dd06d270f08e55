package query

import (
	"context"
	"slices"
	"sort"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/source"
	"github.com/blq-ci/blq/store"
)

// Dependency is a package that the project requires, with the registry's entry about the package's documentation.
type Dependency struct {
	source.Dependency
	Entry *source.Entry // nil if the registry does not have the package
	Added bool          // the documentation is already a source
}

// Discovered is the result of reading a project's dependency manifests.
type Discovered struct {
	Dependencies []Dependency
	Unread       []string // unreadable manifests
	Resolved
}

// DocsDiscover reads the dependency manifests at a commit.
func (a *Asker) DocsDiscover(ctx context.Context, at DocsAt) (Discovered, error) {
	l, err := a.library(at)
	if err != nil {
		return Discovered{}, err
	}
	found, err := l.facts(ctx, "", store.FactDeps)
	if store.CodeOf(err) == store.NotFound { // earlier clients sent manifests only together with the source files
		if code, other := l.facts(ctx, "", store.FactCode); other == nil {
			found, err = code, nil
		}
	}
	if err != nil {
		return Discovered{}, err
	}
	files := map[string]facts.File{}
	var paths []string
	for _, f := range found.Files() {
		if source.IsManifest(f.Path) {
			files[f.Path] = f
			paths = append(paths, f.Path)
		}
	}
	list, unread := source.Dependencies(ctx, paths, func(ctx context.Context, path string) ([]byte, error) {
		return found.Read(ctx, files[path])
	})
	added, err := l.aliases(ctx, everySource)
	if err != nil {
		return Discovered{}, err
	}
	d := Discovered{Unread: unread, Resolved: Resolved{Commit: found.Commit, ResolvedFrom: found.ResolvedFrom,
		Distance: found.Distance, Dirty: found.Dirty, Untrusted: found.Untrusted}}
	for _, dep := range list {
		dep.Name, dep.Version = Clean(dep.Name), Clean(dep.Version)
		item := Dependency{Dependency: dep}
		if e, known := source.Of(dep.Ecosystem, dep.Name); known {
			item.Entry, item.Added = &e, slices.Contains(added, e.Alias)
		}
		d.Dependencies = append(d.Dependencies, item)
	}
	sort.SliceStable(d.Dependencies, func(i, j int) bool { return rank(d.Dependencies[i]) < rank(d.Dependencies[j]) })
	return d, nil
}

// rank returns the sort key of a dependency. Dependencies whose documentation can be added come first.
func rank(d Dependency) int {
	switch {
	case d.Entry != nil && !d.Added:
		return 0
	case d.Entry != nil:
		return 1
	}
	return 2
}
