package ci

import (
	"encoding/json"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/blq-ci/blq/internal/lazyregexp"
)

const (
	maxPackages = 2000    // max manifests of one kind that are read
	maxManifest = 1 << 20 // max bytes of a manifest that are read
)

// Package returns the directory of the package with the given name, relative to the top directory. manifest is
// package.json or pom.xml. The second result is false if no package or several packages have the name.
func (t *Tree) Package(manifest, name string) (string, bool) {
	dirs := t.packages(manifest)[name]
	if len(dirs) != 1 {
		return "", false
	}
	return dirs[0], true
}

// packages returns the directories of packages by name, for one kind of manifest. The manifests are read only once.
func (t *Tree) packages(manifest string) map[string][]string {
	if known, ok := t.named[manifest]; ok {
		return known
	}
	named := map[string][]string{}
	for i, file := range t.read()[manifest] {
		if i == maxPackages {
			break
		}
		dir := path.Dir(file)
		if dir == "." {
			dir = ""
		}
		if name := nameIn(manifest, t.text(file)); name != "" {
			named[name] = append(named[name], dir)
		}
	}
	if t.named == nil {
		t.named = map[string]map[string][]string{}
	}
	t.named[manifest] = named
	return named
}

// textOf returns the beginning of a file on the disk. It returns "" if the file cannot be read.
func (t *Tree) textOf(file string) string {
	f, err := os.OpenInRoot(t.root, filepath.FromSlash(file))
	if err != nil {
		return ""
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxManifest))
	if err != nil {
		return ""
	}
	return string(text)
}

// nameIn returns the name that a manifest gives its package, "" for none.
func nameIn(manifest, text string) string {
	if manifest == "package.json" {
		var p struct{ Name string }
		_ = json.Unmarshal([]byte(text), &p) // a manifest that cannot be parsed has no name
		return p.Name
	}
	if manifest == "Cargo.toml" {
		if m := cargoName.FindStringSubmatch(text); m != nil {
			return strings.ReplaceAll(m[1], "-", "_") // as in the names of its test programs
		}
		return ""
	}
	if from, to := strings.Index(text, "<parent>"), strings.Index(text, "</parent>"); from >= 0 && to > from {
		text = text[:from] + text[to:]
	}
	_, rest, found := strings.Cut(text, "<artifactId>")
	name, _, closed := strings.Cut(rest, "</artifactId>")
	if !found || !closed {
		return ""
	}
	return strings.TrimSpace(name)
}

// CargoRoot returns the Cargo workspace of a directory, relative to the top. It reports whether there is a workspace.
// Cargo prints file names relative to the workspace, even if it runs in another directory.
func (t *Tree) CargoRoot(dir string) (string, bool) {
	for at := path.Clean(dir); !strings.HasPrefix(at, ".."); at = path.Dir(at) {
		text := t.text(path.Join(at, "Cargo.toml"))
		if isWorkspace.MatchString(text) && (at == path.Clean(dir) || !excludes(text, at, dir)) {
			return strings.TrimPrefix(at, "."), true
		}
		if at == "." {
			break
		}
	}
	return "", false
}

var (
	cargoName   = lazyregexp.New(`(?ms)^\s*\[package\]\s*$[^\[]*?^\s*name\s*=\s*["']([^"']+)`)
	isWorkspace = lazyregexp.New(`(?m)^\s*\[workspace[\].]`)
	exclusions  = lazyregexp.New(`(?ms)^\s*exclude\s*=\s*\[(.*?)\]`)
)

// excludes reports whether a Cargo workspace excludes a directory.
func excludes(text, root, dir string) bool {
	m := exclusions.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	for _, name := range strings.FieldsFunc(m[1], func(r rune) bool { return strings.ContainsRune("\"', \t\n", r) }) {
		out := path.Join(root, name)
		if dir == out || strings.HasPrefix(dir, out+"/") {
			return true
		}
	}
	return false
}
