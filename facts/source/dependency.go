package source

import (
	"cmp"
	"context"
	"path"
	"slices"
	"sort"
	"strings"
)

// Ecosystem is a package ecosystem.
type Ecosystem string

// These are the package ecosystems whose dependencies are known.
const (
	NPM      Ecosystem = "npm"
	PyPI     Ecosystem = "pypi"
	Go       Ecosystem = "go"
	Crate    Ecosystem = "crate"
	Maven    Ecosystem = "maven"
	Gem      Ecosystem = "gem"
	Composer Ecosystem = "composer"
)

// Dependency is a package that a project depends on.
type Dependency struct {
	Ecosystem Ecosystem
	Name      string
	Version   string // the exact version from a lock file, or else the range of the manifest; "" for any
	File      string // the file that names the dependency
}

// maxManifests is the max number of manifests that are read. Manifests near the root come first.
const maxManifests = 50

// manifest reads the dependencies in a file.
type manifest func(text []byte) ([]Dependency, error)

// manifestOf returns the reader of a manifest, or nil for another file.
func manifestOf(file string) manifest {
	switch name := path.Base(file); {
	case name == "package.json":
		return readPackageJSON
	case name == "go.mod":
		return readGoMod
	case name == "pyproject.toml":
		return readPyproject
	case strings.HasPrefix(name, "requirements") && path.Ext(name) == ".txt":
		return readRequirements
	case name == "Cargo.toml":
		return readCargo
	case name == "pom.xml":
		return readPOM
	case name == "Gemfile":
		return readGemfile
	case name == "composer.json":
		return readComposer
	}
	return nil
}

// IsManifest reports whether a file names dependencies, or their exact versions.
func IsManifest(file string) bool {
	return manifestOf(file) != nil || path.Base(file) == "package-lock.json"
}

// Dependencies returns the distinct direct dependencies in the manifests among files. It reads at most maxManifests
// manifests, and none in a folder node_modules, vendor or testdata. It also returns the paths of manifests that cannot
// be read.
func Dependencies(ctx context.Context, files []string, open func(ctx context.Context, file string) ([]byte, error)) (
	list []Dependency, unread []string,
) {
	var found []string
	for _, f := range files {
		if manifestOf(f) != nil && !strings.Contains("/"+f, "/node_modules/") && !strings.Contains("/"+f, "/vendor/") &&
			!strings.Contains("/"+f, "/testdata/") {
			found = append(found, f)
		}
	}
	slices.SortStableFunc(found, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), cmp.Compare(a, b))
	})
	seen := map[[2]string]bool{}
	for _, f := range found[:min(len(found), maxManifests)] {
		text, err := open(ctx, f)
		var deps []Dependency
		if err == nil {
			deps, err = manifestOf(f)(text)
		}
		if err != nil {
			unread = append(unread, f)
			continue
		}
		if lock := path.Join(path.Dir(f), "package-lock.json"); path.Base(f) == "package.json" &&
			slices.Contains(files, lock) {
			if text, err := open(ctx, lock); err == nil {
				pin(deps, text)
			}
		}
		for _, d := range deps {
			key := [2]string{string(d.Ecosystem), d.Name}
			if d.Name == "" || seen[key] {
				continue
			}
			seen[key] = true
			d.File = f
			list = append(list, d)
		}
	}
	return list, unread
}

// sorted returns the dependencies of maps from names to versions, sorted by name.
func sorted(e Ecosystem, of ...map[string]string) []Dependency {
	var list []Dependency
	for _, m := range of {
		for name, version := range m {
			list = append(list, Dependency{Ecosystem: e, Name: name, Version: version})
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}
