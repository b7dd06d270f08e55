package project

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/blq-ci/blq/internal/regularfile"
)

// This file decides which .lq folder belongs to a directory inside of git:
//
//   - The work trees of a repository share the folder of the main work tree, or else an existing folder of a linked
//     work tree. A new folder is created in the main work tree. For a bare repository, it is created next to the
//     objects.
//   - A submodule, and any other repository inside of a work tree, has its own folder.
//   - A folder between a directory and the top of its work tree comes first.
//   - Only directories count: GIT_DIR and GIT_WORK_TREE do not matter.

// isGitTop reports whether a directory is the top of a git work tree.
func isGitTop(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil
}

// locate returns the .lq folder for a directory, and the directory to which the runs of the folder refer. ok reports
// whether there is such a folder.
func locate(from string) (lq, root string, ok bool) {
	outside := false // the search has left the innermost work tree
	for dir := from; ; dir = filepath.Dir(dir) {
		candidate := filepath.Join(dir, DirName)
		switch {
		case isGitTop(dir) && outside:
			return "", "", false
		case isGitTop(dir):
			for _, lq := range sharedFolders(dir) {
				if isDir(lq) {
					return lq, dir, true
				}
			}
			outside = true
		case isDir(candidate) && (!outside || Top(dir) == dir):
			return candidate, dir, true
		}
		if dir == filepath.Dir(dir) {
			return "", "", false
		}
	}
}

// sharedFolders returns the possible places of the .lq folder for a work tree's repository. A new folder is created at
// the first of these places.
func sharedFolders(top string) []string {
	common := commonDir(top)
	if common == "" {
		return []string{filepath.Join(top, DirName)}
	}
	list := []string{filepath.Join(mainTree(common), DirName)}
	entries, err := os.ReadDir(filepath.Join(common, "worktrees"))
	if err != nil {
		return list
	}
	for _, e := range entries {
		of := filepath.Join(common, "worktrees", e.Name())
		tree := firstLine(filepath.Join(of, "gitdir"))
		if tree == "" {
			continue
		}
		if lq := filepath.Join(filepath.Dir(absolute(of, tree)), DirName); !slices.Contains(list, lq) {
			list = append(list, lq)
		}
	}
	return list
}

// commonDir returns the directory that the work trees of a repository share. It returns "" if it finds no such
// directory.
func commonDir(top string) string {
	dir := filepath.Join(top, ".git")
	if to, ok := strings.CutPrefix(firstLine(dir), "gitdir: "); ok {
		dir = absolute(top, to)
	}
	if to := firstLine(filepath.Join(dir, "commondir")); to != "" {
		return absolute(dir, to)
	}
	if !isDir(dir) {
		return ""
	}
	return dir
}

// mainTree returns the main work tree of a repository. For a bare repository it returns the repository's directory.
func mainTree(common string) string {
	if filepath.Base(common) == ".git" {
		return filepath.Dir(common)
	}
	text, err := regularfile.ReadFile(filepath.Join(common, "config"))
	if err != nil {
		return common
	}
	for line := range strings.Lines(string(text)) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		if ok && strings.TrimSpace(key) == "worktree" { // set in a submodule
			return absolute(common, strings.Trim(strings.TrimSpace(value), `"`))
		}
	}
	return common
}

func absolute(base, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(base, name)
}

func firstLine(file string) string {
	text, err := regularfile.ReadFile(file)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(line)
}
