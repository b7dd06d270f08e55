package parse

import (
	"path"
	"slices"
	"strings"
)

// Tree is the work tree. Files are looked up in it whose names are relative to an unknown directory. Its own names are
// relative to the top, with forward slashes.
type Tree interface {
	// Has reports whether a file exists.
	Has(file string) bool
	// Ending returns the files whose path ends with these parts, at most two of them.
	Ending(parts string) []string
	// Modules returns the Go modules of the tree.
	Modules() []GoModule
}

// locate returns the file of the work tree that a tool named in one of some directories. It is "" if several files
// can be meant. A name that fits no file stays.
func (p paths) locate(file string, in []string) string {
	found := p.among(file, in)
	if len(found) == 0 {
		found = p.among(file, []string{p.dir, ""})
		found = found[:min(len(found), 1)]
	}
	if len(found) == 0 {
		parts := path.Clean(file)
		for strings.HasPrefix(parts, "../") {
			parts = parts[len("../"):]
		}
		found = p.tree.Ending(parts)
	}
	switch len(found) {
	case 0:
		return join(in[0], file)
	case 1:
		return found[0]
	}
	return ""
}

// among returns the files that exist under a name in some directories.
func (p paths) among(file string, dirs []string) []string {
	var found []string
	for _, dir := range dirs {
		name := join(dir, file)
		if !slices.Contains(found, name) && p.tree.Has(name) {
			found = append(found, name)
		}
	}
	return found
}

// join returns a file of a directory; a file outside of the tree is named as it was.
func join(dir, file string) string {
	joined := path.Join(dir, file)
	if strings.HasPrefix(joined, "../") {
		return path.Clean(file)
	}
	return joined
}
