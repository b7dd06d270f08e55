package worktree

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/store"
)

// listed is a file of a set. It is read from git or from the disk.
type listed struct {
	path string
	mode string // mode in the form of facts.Entry.Mode
	blob string // ID of the git object, "" for a file on the disk
}

// modes maps git's modes of files and symbolic links to the modes of listed files. It lacks the mode of submodules.
var modes = map[string]string{"100644": "", "100664": "", facts.Executable: facts.Executable, link: link}

// link is the mode of a symbolic link. Links are no facts.
const link = "120000"

// withoutLinks returns the files of a list, and the paths of its symbolic links.
func withoutLinks(list []listed) (files []listed, links []string) {
	for _, f := range list {
		if f.mode == link {
			links = append(links, f.path)
		}
	}
	if links == nil {
		return list, nil
	}
	return slices.DeleteFunc(list, func(f listed) bool { return f.mode == link }), links
}

// listCommit returns the selected files and symbolic links of a commit. The memory known may be nil. It must be nil if
// the commit is not given by its whole hash.
func listCommit(ctx context.Context, top, commit string, known *Memory, want facts.Selection) ([]listed, error) {
	out, err := known.listing("files", commit, func() ([]byte, error) {
		return run(ctx, top, "ls-tree", "-r", "-z", "--full-tree", commit)
	})
	if err != nil {
		return nil, err
	}
	var list []listed
	for line := range bytes.SplitSeq(out, []byte{0}) {
		about, path, found := bytes.Cut(line, []byte("\t"))
		if !found || !want.Has(string(path)) {
			continue
		}
		words := strings.Fields(string(about)) // mode, type, object
		if mode, ok := modes[words[0]]; ok {
			list = append(list, listed{string(path), mode, words[2]})
		}
	}
	return list, nil
}

// work holds the files of a work tree, and the differences from its commit.
type work struct {
	commit  string // "" before the first commit
	files   []listed
	links   []string
	changed []string // selected files that differ from the commit
	dirty   bool
}

// listTree returns the selected files of a work tree: the files of its commit, with changed and new files.
func listTree(ctx context.Context, top string, want facts.Selection) (work, error) {
	type answer struct {
		list []listed
		err  error
	}
	committed := make(chan answer, 1)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		list, err := listCommit(ctx, top, "HEAD", nil, want)
		committed <- answer{list, err}
	}()
	out, err := run(ctx, top, "status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all",
		"--ignore-submodules=all", "--no-renames", "--no-ahead-behind")
	if err != nil {
		return work{}, err
	}
	w := work{}
	changes := map[string]listed{}
	for line := range strings.SplitSeq(string(out), "\x00") {
		w.status(line, want, changes)
	}
	before := <-committed
	if before.err != nil && w.commit != "" {
		return work{}, before.err
	}
	w.dirty = len(changes) > 0
	for _, f := range before.list {
		if now, changed := changes[f.path]; changed {
			w.changed = append(w.changed, f.path)
			delete(changes, f.path)
			f = now
		}
		if f.path != "" {
			w.files = append(w.files, f)
		}
	}
	for path, f := range changes {
		if f.path != "" {
			w.files, w.changed = append(w.files, f), append(w.changed, path)
		}
	}
	w.files, w.links = withoutLinks(onDisk(top, w.files))
	return w, err
}

// status reads a line of git status. For a selected file, it adds an entry to changes. The entry of a removed file is
// empty. For the line with the commit, it sets w.commit.
func (w *work) status(line string, want facts.Selection, changes map[string]listed) {
	switch {
	case strings.HasPrefix(line, "# branch.oid "):
		if w.commit = strings.TrimPrefix(line, "# branch.oid "); w.commit == "(initial)" {
			w.commit = ""
		}
	case strings.HasPrefix(line, "? "):
		if path := line[2:]; want.Has(path) {
			changes[path] = listed{path: path}
		}
	case strings.HasPrefix(line, "1 "):
		f := strings.SplitN(line, " ", 9) // fields: 1 XY sub mH mI mW hH hI path
		if len(f) < 9 || !want.Has(f[8]) {
			return
		}
		mode, regular := modes[f[5]]
		switch {
		case !regular:
			changes[f[8]] = listed{}
		case f[1][1] == '.': // the index has the content
			changes[f[8]] = listed{f[8], mode, f[7]}
		default:
			changes[f[8]] = listed{path: f[8], mode: mode}
		}
	case strings.HasPrefix(line, "u "):
		f := strings.SplitN(line, " ", 11) // fields of a conflict: u XY sub m1 m2 m3 mW h1 h2 h3 path
		if len(f) == 11 && want.Has(f[10]) {
			changes[f[10]] = listed{path: f[10], mode: modes[f[6]]}
		}
	}
}

// onDisk drops files that are neither regular files nor symbolic links. It looks only at files that must be read from
// the disk.
func onDisk(top string, list []listed) []listed {
	kept := list[:0]
	for _, f := range list {
		if f.blob == "" {
			info, err := os.Lstat(filepath.Join(top, filepath.FromSlash(f.path)))
			switch {
			case err == nil && info.Mode().Type() == fs.ModeSymlink:
				f.mode = link
			case err != nil || !info.Mode().IsRegular():
				continue // removed in the meantime, or a pipe
			}
		}
		kept = append(kept, f)
	}
	return kept
}

// maxWalked is the max number of files that are examined without git.
const maxWalked = 500_000

// unwalked are directories that have no documents of the project.
var unwalked = map[string]bool{
	".git": true, ".hg": true, ".lq": true, ".venv": true, "node_modules": true, "target": true, "__pycache__": true,
}

// walk returns the selected files below a directory that is not in git.
func walk(root string, want facts.Selection) ([]listed, error) {
	var list []listed
	n := 0
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name == root:
			return err
		case err != nil:
			return nil // unreadable files are left out
		case d.IsDir() && unwalked[d.Name()] && name != root:
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		if n++; n > maxWalked {
			return store.Hint(store.Errorf(store.TooLarge, "%s has more than %d files", root, maxWalked),
				"go to the directory of a project")
		}
		rel, err := filepath.Rel(root, name)
		if path := filepath.ToSlash(rel); err == nil && want.Has(path) {
			list = append(list, listed{path: path})
		}
		return nil
	})
	return list, err
}
