package query

import (
	"path"
	"sort"
	"strings"

	"github.com/blq-ci/blq/facts/code"
)

// near finds the files whose symbols a given file can name.
type near struct {
	*architecture
	packages map[string][]string // files of packages with full names, by language and name
	sources  map[string][]string // files that define the declarations of a header
	crates   map[string]string   // root files of crates, by name of the crate
	libs     []string            // root files of crates whose names were not read yet, see nameCrates
	modules  map[string][]string // Rust files, by the crate's directory and the module's name
	known    map[string][]string // cached results of accessible
}

func newNear(g *architecture) *near {
	n := &near{architecture: g, packages: map[string][]string{}, sources: map[string][]string{},
		crates: map[string]string{}, modules: map[string][]string{}, known: map[string][]string{}}
	files := g.Index.Files()
	for i := range files {
		f := &files[i]
		switch f.Language {
		case code.Java, code.Kotlin, code.Scala, code.CSharp, code.PHP:
			if f.Package != "" {
				n.packages[n.packageOf(f)] = append(n.packages[n.packageOf(f)], f.Path)
			}
		case code.C, code.CPlus:
			for _, im := range f.Imports {
				for _, t := range im.Targets {
					if stem(t) == stem(f.Path) && t != f.Path {
						n.sources[t] = append(n.sources[t], f.Path)
					}
				}
			}
		case code.Rust:
			if dir, is := strings.CutSuffix(f.Path, "/src/lib.rs"); is {
				n.crates[strings.ReplaceAll(path.Base(dir), "-", "_")] = f.Path
				n.libs = append(n.libs, f.Path)
			}
			module := stem(f.Path)
			if module == "mod" {
				module = path.Base(path.Dir(f.Path))
			}
			n.modules[crateOf(f.Path)+" "+module] = append(n.modules[crateOf(f.Path)+" "+module], f.Path)
		}
	}
	return n
}

// maxCrates is the max number of crates whose names are read from a Cargo.toml. For the other crates, the name of the
// directory counts.
const maxCrates = 100

// nameCrates reads the names of crates from their Cargo.toml.
func (n *near) nameCrates(lines func(string) []string) {
	for _, lib := range n.libs[:min(len(n.libs), maxCrates)] {
		if name := crateName(lines(strings.TrimSuffix(lib, "src/lib.rs") + "Cargo.toml")); name != "" {
			n.crates[name] = lib
		}
	}
	n.libs = nil
}

// crateName returns the name by which Rust code calls the crate of a Cargo.toml, or "" if the file does not say it.
func crateName(manifest []string) string {
	name, section := "", ""
	for _, line := range manifest {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = line
		}
		key, value, _ := strings.Cut(line, "=")
		if strings.TrimSpace(key) != "name" || section != "[package]" && section != "[lib]" {
			continue
		}
		value, _, _ = strings.Cut(value, "#")
		if value = strings.Trim(strings.TrimSpace(value), `"'`); name == "" || section == "[lib]" {
			name = strings.ReplaceAll(value, "-", "_")
		}
	}
	return name
}

// crateOf returns the directory of the crate to which a Rust file belongs, in the usual layout.
func crateOf(file string) string {
	dir, _, _ := strings.Cut("/"+file, "/src/")
	return dir
}

// packageOf returns a key for the package of a file. Files in Java, Kotlin and Scala may be in one package.
func (n *near) packageOf(f *code.File) string {
	switch f.Language {
	case code.Kotlin, code.Scala:
		return string(code.Java) + " " + f.Package
	}
	return string(f.Language) + " " + f.Package
}

// stem returns the name of a file without its extension.
func stem(file string) string {
	base, _, _ := strings.Cut(path.Base(file), ".")
	return base
}

// accessible returns the files whose symbols a file can name: the file itself, the files of its package, imported files
// and what they re-export, and the source files of included headers. A Rust file can also name the crates and modules
// whose names are in its text. The parameter lines is a function that returns the lines of a file.
func (n *near) accessible(file string, lines func(string) []string) []string {
	if list, known := n.known[file]; known {
		return list
	}
	f := n.Index.File(file)
	if f == nil {
		return nil
	}
	list := []string{file}
	seen := map[string]bool{file: true}
	add := func(files ...string) {
		for _, t := range files {
			if t != "" && !seen[t] {
				seen[t] = true
				list = append(list, t)
			}
		}
	}
	if f.Package != "" {
		add(n.InFolder(path.Dir(file))...)
		add(n.packages[n.packageOf(f)]...)
	}
	for _, im := range f.Imports {
		for _, t := range im.Targets {
			if dir, is := strings.CutSuffix(t, "/"); is {
				add(n.InFolder(dir)...)
				continue
			}
			add(t)
		}
	}
	direct := len(list) - 1
	for at := 1; at < len(list) && at < maxPassedOn; at++ { // included files may include further files
		t := list[at]
		add(n.sources[t]...)
		through := n.Index.File(t)
		if through == nil || !passesOn(t) || at > direct && !isHeader(t) {
			continue
		}
		for _, other := range through.Imports {
			add(other.Targets...)
		}
	}
	if f.Language == code.Rust {
		n.nameCrates(lines)
		text := strings.Join(lines(file), "")
		words := map[string]bool{}
		identifiers([]byte(text), func(word string) { words[word] = true })
		var named []string
		for word := range words {
			named = append(named, word)
		}
		sort.Strings(named)
		for _, word := range named {
			root, modules := n.crates[word], n.modules[crateOf(file)+" "+word]
			if (root != "" || modules != nil) && strings.Contains(text, word+"::") {
				add(root)
				add(modules...)
			}
		}
	}
	n.known[file] = list
	return list
}

// maxPassedOn is the max number of files whose re-exports are read.
const maxPassedOn = 500

func isHeader(file string) bool {
	switch path.Ext(file) {
	case ".h", ".hh", ".hpp", ".hxx":
		return true
	}
	return false
}

// passesOn reports whether a file usually re-exports its imports.
func passesOn(file string) bool {
	base := path.Base(file)
	return base == "__init__.py" || stem(file) == "index" || base == "mod.rs" || base == "lib.rs" || isHeader(file)
}

// maxNearFiles is the max number of files that the function away reads.
const maxNearFiles = 1000

// away adds to the map away the nodes that the code of a file uses, with their distances. A file that
// defines a header's declarations has the same distance as the header.
func (n *near) away(file, owner string, lines func(string) []string, away map[string]int) {
	type step struct {
		file  string
		steps int
	}
	queue := []step{{file, 0}}
	seen := map[string]bool{file: true}
	for at := 0; at < len(queue) && at < maxNearFiles; at++ {
		from := n.Owner(queue[at].file)
		for _, t := range n.accessible(queue[at].file, lines) {
			to := n.Owner(t)
			if seen[t] || to == nil {
				continue
			}
			seen[t] = true
			steps := queue[at].steps
			if from == nil || from.Ref != to.Ref {
				steps++
			}
			if have, known := away[to.Ref]; to.Ref != owner && steps <= whyDepth && (!known || steps < have) {
				away[to.Ref] = steps
			}
			if steps <= whyDepth {
				queue = append(queue, step{t, steps})
			}
		}
	}
}
