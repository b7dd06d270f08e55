package code

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"sort"
	"strings"
)

// scripts finds the modules of JavaScript and TypeScript.
type scripts struct {
	r        *resolver
	configs  map[string]*config // tsconfig.json and similar files, by path
	packages map[string]manifest
	imports  map[string]map[string]any // imports of package.json, by directory
}

// config holds the module settings of a tsconfig.json.
type config struct {
	base    string // the base directory, if there is one
	hasBase bool
	paths   []alias
	extends []string
}

// alias maps a pattern of module names to files.
type alias struct {
	pattern string
	dir     string
	to      []string
}

// manifest has the facts of a package.json that imports need.
type manifest struct {
	dir   string
	entry []string // files that may be the main module
}

func newScripts(r *resolver) scripts {
	return scripts{r, map[string]*config{}, map[string]manifest{}, map[string]map[string]any{}}
}

// scriptEndings are the file endings that an import may leave out.
var scriptEndings = []string{".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts"}

// manifest reads package.json.
func (s *scripts) manifest(dir string, text []byte) {
	var m struct {
		Name    string         `json:"name"`
		Source  any            `json:"source"`
		Module  any            `json:"module"`
		Main    any            `json:"main"`
		Types   any            `json:"types"`
		Imports map[string]any `json:"imports"`
	}
	if json.Unmarshal(text, &m) != nil {
		return
	}
	if m.Imports != nil {
		s.imports[dir] = m.Imports
	}
	if m.Name == "" {
		return
	}
	p := manifest{dir: dir}
	for _, e := range []any{m.Source, m.Module, m.Main, m.Types} {
		if entry, ok := e.(string); ok && entry != "" {
			p.entry = append(p.entry, entry)
		}
	}
	p.entry = append(p.entry, "src/index", "index", "src/main", "lib/index")
	if _, taken := s.packages[m.Name]; !taken {
		s.packages[m.Name] = p
	}
}

// config reads a tsconfig.json, a jsconfig.json or another tsconfig file. The file may have comments, and commas at the
// end of lists.
func (s *scripts) config(name string, text []byte) {
	var c struct {
		Extends         any `json:"extends"`
		CompilerOptions struct {
			BaseURL *string             `json:"baseUrl"`
			Paths   map[string][]string `json:"paths"`
		} `json:"compilerOptions"`
	}
	if json.Unmarshal(plainJSON(text), &c) != nil {
		return
	}
	dir := parent(name)
	o := &config{}
	if u := c.CompilerOptions.BaseURL; u != nil {
		o.base, o.hasBase = join(dir, *u)
	}
	base := dir
	if o.hasBase {
		base = o.base
	}
	for pattern, to := range c.CompilerOptions.Paths {
		o.paths = append(o.paths, alias{pattern, base, to})
	}
	sort.Slice(o.paths, func(i, j int) bool {
		a, b := o.paths[i].pattern, o.paths[j].pattern
		if n := len(firstPart(b, "*")) - len(firstPart(a, "*")); n != 0 {
			return n < 0
		}
		return a < b
	})
	list, ok := c.Extends.([]any)
	if !ok {
		list = []any{c.Extends}
	}
	for _, e := range list {
		if from, ok := e.(string); ok && strings.HasPrefix(from, ".") {
			if !strings.HasSuffix(from, ".json") {
				from += ".json"
			}
			if p, inside := join(dir, from); inside {
				o.extends = append(o.extends, p)
			}
		}
	}
	s.configs[name] = o
}

// plainJSON returns JSON without comments and without commas at the end of lists.
func plainJSON(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			from := i
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			out = append(out, text[from:min(len(text), i+1)]...)
		case c == '/' && i+1 < len(text) && text[i+1] == '/':
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case c == '/' && i+1 < len(text) && text[i+1] == '*':
			end := strings.Index(string(text[i+2:]), "*/")
			if end < 0 {
				return out
			}
			i += end + 3
		case c == ']' || c == '}':
			k := len(out)
			for k > 0 && out[k-1] <= ' ' {
				k--
			}
			if k > 0 && out[k-1] == ',' {
				out = out[:k-1]
			}
			out = append(out, c)
		default:
			out = append(out, c)
		}
	}
	return out
}

// resolve finds the module that a file imports.
func (s *scripts) resolve(file, name string) []string {
	dir := parent(file)
	name = firstPart(name, "?")
	if name == "." || name == ".." || strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") {
		return s.at(dir, name)
	}
	if strings.HasPrefix(name, "#") {
		return s.internal(dir, name)
	}
	if found := s.aliased(dir, name); found != nil {
		return found
	}
	return s.inPackage(name)
}

// at finds a module by its path from a directory.
func (s *scripts) at(dir, name string) []string {
	p, ok := join(dir, name)
	if !ok {
		return nil
	}
	if s.r.has(p) {
		return []string{p}
	}
	for _, ending := range scriptEndings {
		if s.r.has(p + ending) {
			return []string{p + ending}
		}
	}
	switch ending := path.Ext(p); ending { // endings of compiled files
	case ".js", ".jsx", ".mjs", ".cjs":
		stem := strings.TrimSuffix(p, ending)
		for _, e := range []string{strings.Replace(ending, "j", "t", 1), ".ts", ".tsx", ".d.ts"} {
			if s.r.has(stem + e) {
				return []string{stem + e}
			}
		}
	}
	for _, ending := range scriptEndings {
		if index := path.Join(p, "index"+ending); s.r.has(index) {
			return []string{index}
		}
	}
	return nil
}

// aliased finds a module with the aliases in tsconfig.json and jsconfig.json of dir and of the folders above dir. The
// nearest file by which a module is found decides.
func (s *scripts) aliased(dir, name string) []string {
	for ; ; dir = parent(dir) {
		for _, base := range []string{"tsconfig.json", "jsconfig.json"} {
			if c := s.configs[path.Join(dir, base)]; c != nil {
				if found := s.byConfig(c, name, 0); found != nil {
					return found
				}
			}
		}
		if dir == "" {
			return nil
		}
	}
}

func (s *scripts) byConfig(c *config, name string, level int) []string {
	const maxLevel = 10
	for _, a := range c.paths {
		before, after, star := strings.Cut(a.pattern, "*")
		if !star && a.pattern != name || star && (!strings.HasPrefix(name, before) || !strings.HasSuffix(name, after) ||
			len(name) < len(before)+len(after)) {
			continue
		}
		for _, to := range a.to {
			if star {
				to = strings.Replace(to, "*", name[len(before):len(name)-len(after)], 1)
			}
			if found := s.at(a.dir, to); found != nil {
				return found
			}
		}
	}
	if c.hasBase {
		if found := s.at(c.base, name); found != nil {
			return found
		}
	}
	for _, e := range c.extends {
		if next := s.configs[e]; next != nil && level < maxLevel {
			if found := s.byConfig(next, name, level+1); found != nil {
				return found
			}
		}
	}
	return nil
}

// inPackage finds a module in a package of the repository.
func (s *scripts) inPackage(name string) []string {
	whole := name
	for n := strings.Count(name, "/"); n >= 0; n-- {
		if p, ok := s.packages[whole]; ok {
			rest := strings.TrimPrefix(name[len(whole):], "/")
			if rest == "" {
				for _, e := range p.entry {
					if found := s.at(p.dir, "./"+e); found != nil {
						return found
					}
				}
				return []string{p.dir + "/"}
			}
			for _, sub := range []string{rest, "src/" + rest, "lib/" + rest} {
				if found := s.at(p.dir, "./"+sub); found != nil {
					return found
				}
			}
			return nil
		}
		whole = parent(whole)
	}
	return nil
}

// internal finds a module with the "imports" of the nearest package.json.
func (s *scripts) internal(dir, name string) []string {
	for ; ; dir = parent(dir) {
		if list, ok := s.imports[dir]; ok {
			for _, pattern := range slices.Sorted(maps.Keys(list)) {
				to := list[pattern]
				before, after, star := strings.Cut(pattern, "*")
				if pattern != name && (!star || !strings.HasPrefix(name, before) || !strings.HasSuffix(name, after)) {
					continue
				}
				if target := conditional(to, 0); target != "" {
					if star {
						target = strings.Replace(target, "*", name[len(before):len(name)-len(after)], 1)
					}
					return s.at(dir, target)
				}
			}
			return nil
		}
		if dir == "" {
			return nil
		}
	}
}

// conditional returns the first file of a conditional target in package.json.
func conditional(to any, level int) string {
	const maxLevel = 5
	switch t := to.(type) {
	case string:
		return t
	case map[string]any:
		for _, key := range []string{"source", "types", "import", "default", "node", "require"} {
			if v, ok := t[key]; ok && level < maxLevel {
				return conditional(v, level+1)
			}
		}
	}
	return ""
}
