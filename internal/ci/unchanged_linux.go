package ci

import (
	"bytes"
	"crypto/sha1"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/blq-ci/blq/internal/regularfile"
)

// This file checks without git whether a work tree is certainly unchanged, because starting git takes longer than
// most of blq's own work. It handles only the common case: the index was written for the tree of the commit, and each
// file has the status in the index, such as the size and the time. In all other cases git has to answer.

// maxRacy is the max total size in bytes of racy files. A racy file was modified in the same second as the index or
// later, so its text has to be compared.
const maxRacy = 1 << 20

// unchanged reports whether it is certain that the repository's tracked files are those of the commit.
func (r repo) unchanged(commit string) bool {
	if !isSHA1(commit) || !r.isPlain() {
		return false
	}
	x, ok := readIndex(filepath.Join(r.dir, "index"))
	if !ok || x.tree == "" {
		return false
	}
	tree, ok := r.treeOf(commit)
	if !ok || tree != x.tree {
		return false
	}
	c := comparison{root: r.root, written: x.written, dirs: map[string]bool{".": true}}
	for _, e := range x.entries {
		if !c.same(e) {
			return false
		}
	}
	return len(c.racy) == 0 || r.hasNoAttributes(c) && c.sameText()
}

// isPlain reports whether git certainly uses the usual files, commits and formats. The environment, the configuration
// of the repository and replacement objects may make git use different ones.
func (r repo) isPlain() bool {
	for _, v := range os.Environ() {
		begins := func(prefix string) bool { return strings.HasPrefix(v, prefix) }
		if begins("GIT_") && !slices.ContainsFunc(harmless, begins) {
			return false
		}
	}
	config, err := regularfile.ReadFile(filepath.Join(r.common, "config"))
	if err != nil || mentions(config, "worktree", "[extensions", "[include", "attributesfile") {
		return false
	}
	if _, err := os.Lstat(filepath.Join(r.common, "refs", "replace")); err == nil {
		return false
	}
	packed, _ := regularfile.ReadFile(filepath.Join(r.common, "packed-refs")) // usually there is none
	return !bytes.Contains(packed, []byte(" refs/replace/"))
}

// harmless are beginnings of environment variables that do not change what git tells blq about a work tree. The first
// six would change it, but blq removes them from the environment of git.
var harmless = []string{
	"GIT_DIR=", "GIT_WORK_TREE=", "GIT_COMMON_DIR=", "GIT_INDEX_FILE=", "GIT_PREFIX=", "GIT_NAMESPACE=",
	"GIT_SSL_", "GIT_SSH", "GIT_HTTP_", "GIT_TRACE", "GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_TERMINAL_PROMPT=",
	"GIT_ASKPASS=", "GIT_EDITOR=", "GIT_PAGER=",
}

// mentions reports whether a text contains one of the words. The words are in lower case, and the case of the text
// does not matter.
func mentions(text []byte, words ...string) bool {
	text = bytes.ToLower(text)
	for _, w := range words {
		if bytes.Contains(text, []byte(w)) {
			return true
		}
	}
	return false
}

// comparison compares the files of a work tree with the index.
type comparison struct {
	root    string
	written uint32          // time of the index in seconds
	dirs    map[string]bool // results of isDir
	racy    []indexEntry    // files that may have changed without a change of their status
	bytes   int64           // the size of these files
}

// same reports whether a file has the status that is in the index. If the text of the file has to be compared, too,
// same adds the file to c.racy. It returns false if these files together are too large.
func (c *comparison) same(e indexEntry) bool {
	var st syscall.Stat_t
	if !c.isDir(path.Dir(e.name)) || syscall.Lstat(filepath.Join(c.root, e.name), &st) != nil || e.stat != statOf(&st) ||
		e.mode != modeOf(&st) {
		return false
	}
	// Git sets the size of a file to 0 in the index if the time of the file does not show whether the
	// file has changed.
	if st.Size == 0 && e.id != emptyText {
		return false
	}
	if e.stat.mtime >= c.written {
		c.racy = append(c.racy, e)
		c.bytes += st.Size
	}
	return c.bytes <= maxRacy
}

// emptyText is the ID of the git object for an empty file.
var emptyText = sha1.Sum([]byte("blob 0\x00"))

// These are the file modes in the index of a git repository.
const (
	modeFile    = 0o100644
	modeProgram = 0o100755
	modeLink    = 0o120000
)

// modeOf returns the mode of a file in the form of an index. It returns 0 for a kind of file that an index cannot
// contain.
func modeOf(st *syscall.Stat_t) uint32 {
	switch st.Mode & syscall.S_IFMT {
	case syscall.S_IFREG:
		if st.Mode&0o100 != 0 {
			return modeProgram
		}
		return modeFile
	case syscall.S_IFLNK:
		return modeLink
	}
	return 0
}

// isDir reports whether a path and all paths above it in the work tree are directories, and not symbolic links.
func (c *comparison) isDir(dir string) bool {
	is, known := c.dirs[dir]
	if !known {
		info, err := os.Lstat(filepath.Join(c.root, dir))
		is = err == nil && info.IsDir() && c.isDir(path.Dir(dir))
		c.dirs[dir] = is
	}
	return is
}

// sameText reports whether the texts of the racy files certainly have the hashes that are in the index. It returns
// false for symbolic links and for texts with carriage returns.
func (c *comparison) sameText() bool {
	for _, e := range c.racy {
		file := filepath.Join(c.root, e.name)
		if e.mode == modeLink {
			return false
		}
		text, err := regularfile.ReadFile(file)
		if err != nil || bytes.IndexByte(text, '\r') >= 0 { // git may convert the ends of lines
			return false
		}
		if sum := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(text), text)); sum != e.id {
			return false
		}
	}
	return true
}

// hasNoAttributes reports whether the racy files are certainly unaffected by git attributes, which may change their
// text.
func (r repo) hasNoAttributes(c comparison) bool {
	if program, err := exec.LookPath("git"); err != nil || program != "/usr/bin/git" {
		return false // the system's settings may be at another place
	}
	home := os.Getenv("HOME")
	config := os.Getenv("XDG_CONFIG_HOME")
	if config == "" {
		config = filepath.Join(home, ".config")
	}
	absent := []string{"/etc/gitattributes", filepath.Join(config, "git", "attributes"),
		filepath.Join(r.common, "info", "attributes")}
	for dir := range c.dirs {
		absent = append(absent, filepath.Join(c.root, dir, ".gitattributes"))
	}
	for _, file := range absent {
		if _, err := os.Lstat(file); !os.IsNotExist(err) {
			return false
		}
	}
	settings := []string{"/etc/gitconfig", filepath.Join(home, ".gitconfig"), filepath.Join(config, "git", "config")}
	for _, file := range settings {
		text, err := regularfile.ReadFile(file)
		if err != nil && !os.IsNotExist(err) || mentions(text, "attributesfile", "[include") {
			return false
		}
	}
	return true
}

// statOf returns the status of a file in the form of an index.
func statOf(st *syscall.Stat_t) indexStat {
	return indexStat{
		ctime: uint32(st.Ctim.Sec), ctimeNS: uint32(st.Ctim.Nsec), mtime: uint32(st.Mtim.Sec), mtimeNS: uint32(st.Mtim.Nsec),
		inode: uint32(st.Ino), user: st.Uid, group: st.Gid, size: uint32(st.Size),
	}
}
