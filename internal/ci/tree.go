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

// Tree looks up files in a work tree or in the files of a commit. It reads the list of files once, when a method first
// needs the list.
type Tree struct {
	root  string
	known map[string]bool // results of Has
	has   func(file string) bool
	text  func(file string) string // beginning of a file, "" if it cannot be read
	read  func() map[string][]string
	mods  func() []parse.GoModule
	named map[string]map[string][]string // directories of packages, by manifest and name
}

// NewTree returns the work tree at root. It must not be used by several goroutines at once.
func NewTree(root string) *Tree {
	t := newTree(root)
	t.has, t.text = t.isFile, t.textOf
	t.read = sync.OnceValue(t.names)
	return t
}

// NewListedTree returns a tree for files that are not on this machine. root is the directory in which the files would
// be. list returns the names of the files. text returns the text of a file, or "" if the file cannot be read. Both
// functions are called only when they are needed, and list is called only once.
func NewListedTree(root string, list func() []string, text func(file string) string) *Tree {
	t := newTree(root)
	t.read = sync.OnceValue(func() map[string][]string {
		names := map[string][]string{}
		for _, file := range list() {
			names[path.Base(file)] = append(names[path.Base(file)], file)
		}
		return names
	})
	t.has = func(file string) bool { return slices.Contains(t.read()[path.Base(file)], path.Clean(file)) }
	t.text = func(file string) string {
		if !t.Has(file) {
			return ""
		}
		return text(path.Clean(file))
	}
	return t
}

func newTree(root string) *Tree {
	t := &Tree{root: root, known: map[string]bool{}}
	t.mods = sync.OnceValue(t.modules)
	return t
}

// Has reports whether a file exists.
func (t *Tree) Has(file string) bool {
	if has, ok := t.known[file]; ok {
		return has
	}
	has := t.has(file)
	if len(t.known) < maxTreeFiles {
		t.known[file] = has
	}
	return has
}

// isFile reports whether a file exists on the disk.
func (t *Tree) isFile(file string) bool {
	name := filepath.FromSlash(file)
	if !filepath.IsLocal(name) {
		return false
	}
	info, err := os.Stat(filepath.Join(t.root, name))
	return err == nil && !info.IsDir()
}

// Ending returns at most two files below a directory. The paths of these files end with the given parts.
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
		if len(list) == maxModules {
			break
		}
		if name := modulePathIn(t.text(file)); name != "" {
			dir := filepath.Join(t.root, filepath.FromSlash(path.Dir(file)))
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

// names returns up to maxTreeFiles files of the tree, by base name. In git these are tracked files, and untracked files
// that are not ignored. Outside of git these are all files that are in no directory named in unwalked.
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
	for base, list := range names { // git lists a file with a merge conflict three times
		names[base] = slices.Compact(list)
	}
	return names
}

// unwalked are directories that do not contain sources.
var unwalked = map[string]bool{
	".git": true, ".hg": true, ".lq": true, ".venv": true, "node_modules": true, "target": true, "__pycache__": true,
}

func (t *Tree) walk(add func(string) bool) {
	_ = filepath.WalkDir(t.root, func(name string, d fs.DirEntry, err error) error { // unreadable files are left out
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
