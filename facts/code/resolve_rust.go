package code

import (
	"path"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// crate is a package of Rust.
type crate struct {
	dir  string // the directory of Cargo.toml
	root string // lib.rs or main.rs
}

// crate reads Cargo.toml.
func (r *resolver) crate(dir string, text []byte) {
	var c struct {
		Package struct{ Name string }
		Lib     struct{ Name, Path string }
	}
	if toml.Unmarshal(text, &c) != nil || c.Package.Name == "" {
		return
	}
	root := ""
	for _, p := range []string{c.Lib.Path, "src/lib.rs", "src/main.rs"} {
		if file, ok := join(dir, p); root == "" && p != "" && ok && r.has(file) {
			root = file
		}
	}
	r.crates = append(r.crates, crate{dir, root})
	name := c.Package.Name
	if c.Lib.Name != "" {
		name = c.Lib.Name
	}
	if name = strings.ReplaceAll(name, "-", "_"); root != "" && r.crateRoot[name] == "" {
		r.crateRoot[name] = root
	}
}

// resolveRust follows a path through modules. It returns the file of the last module that it finds on the path.
func (r *resolver) resolveRust(file string, imp *Import) []string {
	parts := strings.Split(imp.Path, "::")
	inline := 0
	if len(imp.Names) > 0 {
		inline, _ = strconv.Atoi(imp.Names[0])
	}
	at := "" // the file of the first module of the path
	switch parts[0] {
	case "crate":
		at, parts = r.crateFile(file), parts[1:]
	case "self", "super":
		for at = file; len(parts) > 0 && (parts[0] == "self" || parts[0] == "super"); parts = parts[1:] {
			if parts[0] == "self" {
				continue
			}
			if inline--; inline < 0 {
				at = r.parentModule(at)
			}
		}
	default:
		if root, ok := r.crateRoot[parts[0]]; ok {
			at, parts = root, parts[1:]
		} else if child := r.childModule(file, parts[0]); child != "" {
			at = file
		}
	}
	if at == "" {
		return nil
	}
	for _, part := range parts {
		next := r.childModule(at, part)
		if next == "" {
			break
		}
		at = next
	}
	return []string{at}
}

// addMentions adds imports to a file: the mentioned paths that lead to other files.
func (r *resolver) addMentions(f *File) {
	for _, m := range f.mentions {
		first := firstPart(m.path, "::")
		_, isCrate := r.crateRoot[first]
		if !isCrate && (m.modules > 0 || r.childModule(f.Path, first) == "") || len(f.Imports) == maxImports {
			continue
		}
		imp := Import{Path: m.path, Line: m.line}
		if m.modules > 0 {
			imp.Names = []string{strconv.Itoa(m.modules)}
		}
		f.Imports = append(f.Imports, imp)
		f.mentioned++
	}
}

// crateFile returns the root file of the crate that contains a file.
func (r *resolver) crateFile(file string) string {
	for _, c := range r.crates {
		if c.dir != "" && !strings.HasPrefix(file, c.dir+"/") {
			continue
		}
		for _, bin := range []string{"src/bin/", "tests/", "examples/", "benches/"} {
			if rest, ok := strings.CutPrefix(file, path.Join(c.dir, bin)+"/"); ok {
				name := firstPart(rest, "/")
				if !strings.HasSuffix(name, ".rs") {
					name += "/main.rs"
				}
				return path.Join(c.dir, bin, name)
			}
		}
		if main := path.Join(c.dir, "src/main.rs"); file == main {
			return main
		}
		return c.root
	}
	return ""
}

// childModule returns the file of a module inside another module, or "" if there is none.
func (r *resolver) childModule(file, name string) string {
	dir := parent(file)
	if base := path.Base(file); base != "mod.rs" && base != "lib.rs" && base != "main.rs" && !r.isRoot(file) {
		dir = strings.TrimSuffix(file, ".rs")
	}
	for _, p := range []string{path.Join(dir, name+".rs"), path.Join(dir, name, "mod.rs")} {
		if name != "" && name != "*" && p != file && r.has(p) {
			return p
		}
	}
	return ""
}

// isRoot reports whether a file is the root of a crate.
func (r *resolver) isRoot(file string) bool { return r.crateFile(file) == file }

// parentModule returns the file of the enclosing module, or "" if there is none.
func (r *resolver) parentModule(file string) string {
	if r.isRoot(file) {
		return ""
	}
	dir := parent(file)
	if path.Base(file) == "mod.rs" {
		dir = parent(dir)
	}
	for _, name := range []string{"/mod.rs", ".rs", "/lib.rs", "/main.rs"} {
		if p := strings.TrimPrefix(dir+name, "/"); p != file && r.has(p) {
			return p
		}
	}
	return ""
}
