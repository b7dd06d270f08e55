package ci

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/blq-ci/blq/ingest/parse"
)

// Tree is a work tree in which files are looked up. It is read when it is first asked.
type Tree struct {
	root  string
	known map[string]bool // answers of Has
	read  func() map[string][]string
	mods  func() []parse.GoModule
	named map[string]map[string][]string // by manifest and name, the directories of packages
}

// NewTree returns the work tree at root. It must not be used by several goroutines at once.
func NewTree(root string) *Tree {
	t := &Tree{root: root, known: map[string]bool{}}
	t.read = sync.OnceValue(t.names)
	t.mods = sync.OnceValue(t.modules)
	return t
}

// Has reports whether a file exists.
func (t *Tree) Has(file string) bool {
	if has, ok := t.known[file]; ok {
		return has
	}
	has := false
	if name := filepath.FromSlash(file); filepath.IsLocal(name) {
		info, err := os.Stat(filepath.Join(t.root, name))
		has = err == nil && !info.IsDir()
	}
	if len(t.known) < maxTreeFiles {
		t.known[file] = has
	}
	return has
}

// Ending returns the files below a directory whose path ends with these parts, at most two of them.
func (t *Tree) Ending(parts, dir string) []string {
	var found []string
	for _, file := range t.read()[path.Base(parts)] {
		if dir != "" && !strings.HasPrefix(file, dir+"/") {
			continue
		}
		if (file == parts || strings.HasSuffix(file, "/"+parts)) && t.Has(file) {
			if found = append(found, file); len(found) == 2 {
				break
			}
		}
	}
	return found
}

// Modules returns the Go modules of the tree.
func (t *Tree) Modules() []parse.GoModule { return t.mods() }

func (t *Tree) modules() []parse.GoModule {
	var list []parse.GoModule
	for _, file := range t.read()["go.mod"] {
		dir := filepath.Join(t.root, filepath.FromSlash(path.Dir(file)))
		if name := modulePath(filepath.Join(dir, "go.mod")); name != "" && len(list) < maxModules {
			list = append(list, parse.GoModule{Path: name, Dir: dir})
		}
	}
	return list
}

const (
	maxTreeFiles = 500_000
	maxModules   = 1000
	treeWait     = 10 * time.Second
)

// names returns the files of the tree by their last part: those that git knows or does not ignore, and outside of git
// those that lie there.
func (t *Tree) names() map[string][]string {
	names := map[string][]string{}
	n := 0
	add := func(file string) bool {
		n++
		names[path.Base(file)] = append(names[path.Base(file)], file)
		return n < maxTreeFiles
	}
	ctx, cancel := context.WithTimeout(context.Background(), treeWait)
	defer cancel()
	out, err := git(ctx, t.root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		t.walk(add)
		return names
	}
	for file := range strings.SplitSeq(string(out), "\x00") {
		if file != "" && !add(file) {
			break
		}
	}
	for base, list := range names { // a file with a merge conflict is listed three times
		names[base] = slices.Compact(list)
	}
	return names
}

// unwalked are directories that hold no sources.
var unwalked = map[string]bool{
	".git": true, ".hg": true, ".lq": true, ".venv": true, "node_modules": true, "target": true, "__pycache__": true,
}

func (t *Tree) walk(add func(string) bool) {
	_ = filepath.WalkDir(t.root, func(name string, d fs.DirEntry, err error) error { // what cannot be read is left out
		switch {
		case err != nil:
			return nil
		case d.IsDir() && unwalked[d.Name()]:
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		rel, err := filepath.Rel(t.root, name)
		if err == nil && !add(filepath.ToSlash(rel)) {
			return fs.SkipAll
		}
		return nil
	})
}
