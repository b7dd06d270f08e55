package parse

import (
	"path"
	"slices"
	"strings"
)

// Tree is the work tree. It finds files by names that are relative to an unknown directory. The names that it returns
// are relative to the top, with forward slashes.
type Tree interface {
	// Has reports whether a file exists.
	Has(file string) bool
	// Ending returns the files below a directory whose path ends with these parts, at most two of them.
	Ending(parts, dir string) []string
	// Modules returns the Go modules of the tree.
	Modules() []GoModule
	// Package returns the directory of the package whose manifest (package.json, pom.xml) gives it a name. It reports
	// false unless there is one of them.
	Package(manifest, name string) (string, bool)
	// CargoRoot returns the directory of the Cargo workspace of a directory, and reports whether there is one.
	CargoRoot(dir string) (string, bool)
}

// Package notes that following file names are relative to the package whose manifest gives it a name, for a tool that
// says this and no directory. Of a package that is not in the work tree nothing is noted.
func (s *Scan) Package(manifest, name string) {
	s.cur.pkg = s.cur.home
	if s.paths.tree == nil {
		return
	}
	if dir, ok := s.paths.tree.Package(manifest, name); ok {
		s.cur.pkg = s.paths.root + "/" + dir
	}
}

// CargoRoot returns the directory that Cargo's file names are relative to: that of the workspace, wherever in it the
// command ran. It is "" where that is not known.
func (s *Scan) CargoRoot() string {
	if s.paths.tree == nil || len(s.paths.work) != 1 {
		return ""
	}
	dir, ok := s.paths.tree.CargoRoot(s.paths.work[0])
	if !ok {
		return ""
	}
	return s.paths.root + "/" + dir
}

// locate returns the file of the work tree that a tool named in one of some directories. It is "" if several files
// can be meant. A name that fits no file stays.
func (p paths) locate(file string, in []string) string {
	found := p.among(file, in)
	if len(found) == 0 && len(in) == 1 && in[0] != "" && !strings.Contains(path.Clean(file), "../") {
		found = p.tree.Ending(path.Clean(file), in[0])
	}
	if len(found) == 0 {
		found = p.among(file, []string{p.dir, ""})
		found = found[:min(len(found), 1)]
	}
	if len(found) == 0 {
		parts := path.Clean(file)
		for strings.HasPrefix(parts, "../") {
			parts = parts[len("../"):]
		}
		found = p.tree.Ending(parts, "")
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
