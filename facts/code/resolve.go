package code

import (
	"path"
	"slices"
	"sort"
	"strings"
)

// resolver finds the repository files that imports name.
type resolver struct {
	files []File
	index map[string]int      // positions of files by path
	named map[string][]string // paths by their last element
	dirs  map[string]bool     // directories that contain source files, directly or further below
	holds map[dirLanguage]bool

	goModules []module // longest path first
	python    []string // directories from which modules are imported
	scripts   scripts
	crates    []crate           // deepest directory first
	crateRoot map[string]string // root files of crates by name
	php       []module          // prefixes of namespaces, longest first
	types     map[string]string // files of types of the JVM, C# and PHP, by full name
	packages  map[string][]string
	swift     map[string]string // directories of modules by name
}

// dirLanguage is a pair of a directory and a language with files in that directory.
type dirLanguage struct {
	dir      string
	language Language
}

// module is a directory with the name that imports use for it.
type module struct{ name, dir string }

// maxTargets is the max number of targets of one import.
const maxTargets = 50

// isSetup reports whether a file configures imports, such as go.mod.
func isSetup(file string) bool {
	switch name := path.Base(file); name {
	case "go.mod", "pyproject.toml", "setup.py", "package.json", "jsconfig.json", "Cargo.toml", "composer.json",
		"Package.swift":
		return true
	default:
		return strings.HasPrefix(name, "tsconfig") && strings.HasSuffix(name, ".json")
	}
}

func newResolver(files []File, setups map[string][]byte) *resolver {
	r := &resolver{files: files, index: map[string]int{}, named: map[string][]string{}, dirs: map[string]bool{"": true},
		holds: map[dirLanguage]bool{}, crateRoot: map[string]string{}, types: map[string]string{},
		packages: map[string][]string{}, swift: map[string]string{}}
	r.scripts = newScripts(r)
	for i := range files {
		f := &files[i]
		r.index[f.Path] = i
		base := path.Base(f.Path)
		r.named[base] = append(r.named[base], f.Path)
		dir := parent(f.Path)
		r.holds[dirLanguage{dir, f.Language}] = true
		for d := dir; !r.dirs[d]; d = parent(d) {
			r.dirs[d] = true
		}
		r.addTypes(f)
	}
	names := make([]string, 0, len(setups))
	for name := range setups {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		r.setup(name, setups[name])
	}
	for _, list := range [][]module{r.goModules, r.php} {
		sort.SliceStable(list, func(i, j int) bool { return len(list[i].name) > len(list[j].name) })
	}
	sort.SliceStable(r.crates, func(i, j int) bool { return len(r.crates[i].dir) > len(r.crates[j].dir) })
	return r
}

// setup reads a file that configures imports. It ignores a file that it cannot parse.
func (r *resolver) setup(name string, text []byte) {
	dir := parent(name)
	switch base := path.Base(name); base {
	case "go.mod":
		r.goModule(dir, string(text))
	case "pyproject.toml", "setup.py":
		r.python = append(r.python, dir, path.Join(dir, "src"))
	case "Cargo.toml":
		r.crate(dir, text)
	case "composer.json":
		r.composer(dir, text)
	case "Package.swift":
		r.swiftPackage(dir, string(text))
	case "package.json":
		r.scripts.manifest(dir, text)
	default:
		r.scripts.config(name, text)
	}
}

// parent returns the directory of a path, "" for the top.
func parent(p string) string {
	i := strings.LastIndexByte(p, '/')
	if i < 0 {
		return ""
	}
	return p[:i]
}

// join joins paths. It reports whether the result is inside of the repository.
func join(dir, rest string) (string, bool) {
	p := path.Join(dir, rest)
	if p == "." {
		p = ""
	}
	return p, p != ".." && !strings.HasPrefix(p, "../") && !strings.HasPrefix(p, "/")
}

func (r *resolver) has(file string) bool {
	_, found := r.index[file]
	return found
}

// all resolves the imports of all files.
func (r *resolver) all() {
	known := map[string][]string{} // targets by import; files of one directory share these targets, except in Rust
	for i := range r.files {
		f := &r.files[i]
		r.addMentions(f)
		for k := range f.Imports {
			imp := &f.Imports[k]
			key := string(f.Language) + "\x00" + parent(f.Path) + "\x00" + imp.Path + "\x00" + strings.Join(imp.Names, ",")
			if f.Language == Scala {
				key += "\x00" + f.Package
			}
			targets, done := known[key]
			if !done || f.Language == Rust {
				targets = r.resolve(f, imp)
				known[key] = targets
			}
			for _, t := range targets {
				if t != f.Path && !slices.Contains(imp.Targets, t) && len(imp.Targets) < maxTargets {
					imp.Targets = append(imp.Targets, t)
				}
			}
		}
	}
}

func (r *resolver) resolve(f *File, imp *Import) []string {
	switch f.Language {
	case Go:
		return r.resolveGo(imp.Path)
	case Python:
		return r.resolvePython(f.Path, imp)
	case JavaScript, TypeScript:
		return r.scripts.resolve(f.Path, imp.Path)
	case Java, Kotlin, Scala:
		return r.resolveJVM(f, imp)
	case Rust:
		return r.resolveRust(f.Path, imp)
	case C, CPlus:
		return r.resolveInclude(f.Path, imp)
	case CSharp:
		return r.resolveCSharp(imp.Path)
	case Ruby:
		return r.resolveRuby(f.Path, imp)
	case PHP:
		return r.resolvePHP(f.Path, imp)
	case Swift:
		if dir, ok := r.swift[firstPart(imp.Path, ".")]; ok && !strings.HasPrefix(f.Path, dir) {
			return []string{dir}
		}
	}
	return nil
}

func firstPart(s, separator string) string {
	s, _, _ = strings.Cut(s, separator)
	return s
}

// goModule reads go.mod: its module, and the directories that replace other modules.
func (r *resolver) goModule(dir, text string) {
	block := ""
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case words[0] == ")":
			block = ""
		case len(words) == 2 && words[1] == "(":
			block = words[0]
		case words[0] == "module" && len(words) == 2:
			r.goModules = append(r.goModules, module{strings.Trim(words[1], "\"`"), dir})
		case words[0] == "replace", block == "replace":
			to := words[len(words)-1]
			from := words[0]
			if words[0] == "replace" && len(words) > 1 {
				from = words[1]
			}
			if target, ok := join(dir, to); ok && strings.HasPrefix(to, ".") {
				r.goModules = append(r.goModules, module{from, target})
			}
		}
	}
}

func (r *resolver) resolveGo(name string) []string {
	for _, m := range r.goModules {
		rest, ok := strings.CutPrefix(name, m.name)
		if !ok || rest != "" && rest[0] != '/' {
			continue
		}
		dir, inside := join(m.dir, "./"+rest)
		if inside && r.holds[dirLanguage{dir, Go}] {
			return []string{dir + "/"}
		}
		return nil
	}
	return nil
}

// addTypes records the full names of types, and the directories of packages.
func (r *resolver) addTypes(f *File) {
	separator := "."
	switch f.Language {
	case Java, Kotlin, Scala:
	case PHP:
		separator = `\`
	case CSharp:
		separator = ""
	default:
		return
	}
	for _, p := range append([]string{f.Package}, f.Packages...) {
		dir := parent(f.Path) + "/"
		if list := r.packages[p]; p != "" && !slices.Contains(list, dir) && len(list) < maxTargets {
			r.packages[p] = append(list, dir)
		}
	}
	for _, s := range f.Symbols {
		full := s.Name
		switch {
		case separator == "":
			if s.Kind == Module || s.Kind == Method {
				continue
			}
			full = s.Parent + "." + s.Name
		case s.Parent != "":
			continue
		case f.Package != "":
			full = f.Package + separator + s.Name
		}
		if _, taken := r.types[full]; !taken {
			r.types[full] = f.Path
		}
	}
}

func (r *resolver) resolveJVM(f *File, imp *Import) []string {
	if found := r.jvmName(imp.Path); found != nil || f.Language != Scala {
		return found
	}
	for p := f.Package; p != ""; p = parentName(p) { // names are relative to the packages around the file
		if found := r.jvmName(p + "." + imp.Path); found != nil {
			return found
		}
	}
	return nil
}

// parentName returns a name without its last part.
func parentName(name string) string {
	return name[:max(0, strings.LastIndexByte(name, '.'))]
}

func (r *resolver) jvmName(name string) []string {
	if whole, ok := strings.CutSuffix(name, ".*"); ok {
		name = whole
	} else if whole, ok := strings.CutSuffix(name, "._"); ok {
		name = whole
	}
	for n, depth := name, 0; n != "" && depth < 4; n, depth = parentName(n), depth+1 {
		if file, ok := r.types[n]; ok {
			return []string{file}
		}
		if dirs, ok := r.packages[n]; ok {
			if depth > 0 {
				return nil // the package has no such file here
			}
			return dirs
		}
	}
	return nil
}

func (r *resolver) resolveCSharp(name string) []string {
	if dirs, ok := r.packages[name]; ok {
		return dirs
	}
	if file, ok := r.types[name]; ok {
		return []string{file}
	}
	return nil
}
