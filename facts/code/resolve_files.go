package code

import (
	"encoding/json"
	"path"
	"slices"
	"sort"
	"strings"
)

// resolvePython finds Python modules. Relative imports start in the directory of the file. Other imports start in the
// file's directory and its parents, except packages, in the src directories of these, and in directories of projects.
func (r *resolver) resolvePython(file string, imp *Import) []string {
	dots := len(imp.Path) - len(strings.TrimLeft(imp.Path, "."))
	parts := strings.Split(imp.Path[dots:], ".")
	if imp.Path[dots:] == "" {
		parts = nil
	}
	if dots > 0 {
		dir := parent(file)
		for range dots - 1 {
			if dir == "" {
				return nil
			}
			dir = parent(dir)
		}
		return r.pythonModule(dir, parts, imp.Names)
	}
	for dir := parent(file); ; dir = parent(dir) {
		if !r.has(path.Join(dir, "__init__.py")) {
			for _, root := range []string{dir, path.Join(dir, "src")} {
				if found := r.pythonModule(root, parts, imp.Names); found != nil {
					return found
				}
			}
		}
		if dir == "" {
			break
		}
	}
	for _, root := range r.python {
		if found := r.pythonModule(root, parts, imp.Names); found != nil {
			return found
		}
	}
	return nil
}

// pythonModule returns the files of an imported module below a directory. If an imported name is a module itself, it
// returns the file of that module. If there are no names, or a name is no module, it also returns the file of the
// imported module. If it finds no file, it may return the directory of the imported module.
func (r *resolver) pythonModule(root string, parts, names []string) []string {
	dir := path.Join(root, path.Join(parts...))
	if dir == "." {
		dir = ""
	}
	var found []string
	self := ""
	for _, p := range []string{dir + ".py", dir + ".pyi", path.Join(dir, "__init__.py")} {
		if self == "" && r.has(p) {
			self = p
		}
	}
	if self == "" && (!r.dirs[dir] || len(parts) > 0 && !r.holds[dirLanguage{dir, Python}] && len(names) == 0) {
		return nil
	}
	whole := len(names) == 0
	for _, n := range names {
		sub := path.Join(dir, n)
		switch {
		case r.has(sub + ".py"):
			found = append(found, sub+".py")
		case r.has(path.Join(sub, "__init__.py")):
			found = append(found, path.Join(sub, "__init__.py"))
		default:
			whole = true
		}
	}
	if whole && self != "" {
		found = append(found, self)
	} else if whole && len(parts) > 0 && r.holds[dirLanguage{dir, Python}] && found == nil {
		found = append(found, dir+"/")
	}
	return found
}

// headerRoots are directories that contain headers or Ruby files.
var headerRoots = []string{"include", "inc", "src", "source", "lib", "libs", "public", "headers", "api", "app"}

// suffixed looks for files with a path that ends with the given name, and returns the file closest to the importing
// file. If roots is set, the path before that name must be empty or end in one of headerRoots.
func (r *resolver) suffixed(from, name string, roots bool) []string {
	const maxNamed = 2000
	best, score := "", -1
	candidates := r.named[path.Base(name)]
	for _, p := range candidates[:min(maxNamed, len(candidates))] {
		if p != name && !strings.HasSuffix(p, "/"+name) {
			continue
		}
		root := strings.TrimSuffix(strings.TrimSuffix(p, name), "/")
		if roots && root != "" && !slices.Contains(headerRoots, path.Base(root)) {
			continue
		}
		if s := 1000*common(from, p) - len(p); best == "" || s > score {
			best, score = p, s
		}
	}
	if best == "" {
		return nil
	}
	return []string{best}
}

// common returns the number of leading directories that two paths share.
func common(a, b string) int {
	n := 0
	for i := 0; i < len(a) && i < len(b) && a[i] == b[i]; i++ {
		if a[i] == '/' {
			n++
		}
	}
	return n
}

func (r *resolver) resolveInclude(file string, imp *Import) []string {
	quoted := len(imp.Names) > 0
	if quoted {
		if p, ok := join(parent(file), imp.Path); ok && r.has(p) {
			return []string{p}
		}
	}
	if strings.Contains(imp.Path, "..") {
		return nil
	}
	return r.suffixed(file, path.Clean(imp.Path), !quoted)
}

func (r *resolver) resolveRuby(file string, imp *Import) []string {
	name := imp.Path
	if path.Ext(name) != ".rb" {
		name += ".rb"
	}
	if len(imp.Names) > 0 || strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") {
		if p, ok := join(parent(file), name); ok && r.has(p) {
			return []string{p}
		}
		return nil
	}
	return r.suffixed(file, name, true)
}

// composer reads the directories of namespaces from composer.json.
func (r *resolver) composer(dir string, text []byte) {
	type autoload struct {
		PSR4 map[string]any `json:"psr-4"`
	}
	var c struct {
		Autoload autoload `json:"autoload"`
		Dev      autoload `json:"autoload-dev"`
	}
	if json.Unmarshal(text, &c) != nil {
		return
	}
	for _, a := range []autoload{c.Autoload, c.Dev} {
		for prefix, to := range a.PSR4 {
			list, ok := to.([]any)
			if !ok {
				list = []any{to}
			}
			for _, t := range list {
				if s, ok := t.(string); ok {
					if d, inside := join(dir, s); inside {
						r.php = append(r.php, module{prefix, d})
					}
				}
			}
		}
	}
	sort.Slice(r.php, func(i, j int) bool { return r.php[i].name+"\x00"+r.php[i].dir < r.php[j].name+"\x00"+r.php[j].dir })
}

func (r *resolver) resolvePHP(file string, imp *Import) []string {
	if len(imp.Names) > 0 && imp.Names[0] == "file" {
		for _, dir := range []string{parent(file), ""} {
			if p, ok := join(dir, imp.Path); ok && r.has(p) {
				return []string{p}
			}
		}
		return nil
	}
	for _, m := range r.php {
		if rest, ok := strings.CutPrefix(imp.Path, m.name); ok {
			if p := path.Join(m.dir, strings.ReplaceAll(rest, `\`, "/")+".php"); r.has(p) {
				return []string{p}
			}
		}
	}
	if p, ok := r.types[imp.Path]; ok {
		return []string{p}
	}
	return r.packages[imp.Path]
}

// swiftPackage records the directories of a package's targets. The manifest names the directory of a target, or the
// directory follows Swift's convention.
func (r *resolver) swiftPackage(dir, text string) {
	for _, base := range []string{"Sources", "Source", "src", "Tests"} {
		prefix := path.Join(dir, base) + "/"
		for d := range r.dirs {
			name, ok := strings.CutPrefix(d, prefix)
			if have := r.swift[name]; ok && !strings.Contains(name, "/") && (have == "" || d+"/" < have) {
				r.swift[name] = d + "/"
			}
		}
	}
	for {
		i := strings.Index(text, "name:")
		if i < 0 {
			return
		}
		name, rest := quotedText(text[i:])
		text = rest
		target := rest
		if end := strings.Index(target, "name:"); end >= 0 {
			target = target[:end]
		}
		if p := strings.Index(target, "path:"); p >= 0 {
			where, _ := quotedText(target[p:])
			if d, ok := join(dir, where); ok && where != "" && r.dirs[d] {
				r.swift[name] = d + "/"
			}
		}
	}
}

// quotedText returns the next quoted text, and the text after it.
func quotedText(s string) (text, rest string) {
	i := strings.IndexByte(s, '"')
	if i < 0 {
		return "", ""
	}
	text, rest, _ = strings.Cut(s[i+1:], `"`)
	return text, rest
}
