package parse

import (
	"path"
	"slices"
	"strings"
)

// Tree is the work tree. It finds files by names that are relative to an unknown directory. Returned names are relative
// to the top, with forward slashes.
type Tree interface {
	// Has reports whether a file exists.
	Has(file string) bool
	// Ending returns files whose paths end with the path parts. The files must be below the directory dir. It returns
	// at most two files.
	Ending(parts, dir string) []string
	// Modules returns the Go modules of the tree.
	Modules() []GoModule
	// Package returns the directory of the package whose manifest (package.json, pom.xml, Cargo.toml) has the name. It
	// returns false if no package has the name, or if several packages have it. In names of Cargo, - is _.
	Package(manifest, name string) (string, bool)
	// CargoRoot returns the directory of the Cargo workspace that contains dir. It returns false if dir is in no
	// workspace.
	CargoRoot(dir string) (string, bool)
}

// Package makes the following file names relative to a package. It is for tools that print the name of a package but no
// directory. If the package is not in the work tree, names are relative to the lane's own package.
func (s *Scan) Package(manifest, name string) {
	s.cur.pkg = s.cur.home
	if s.paths.tree == nil {
		return
	}
	if dir, ok := s.paths.tree.Package(manifest, name); ok {
		s.cur.pkg = s.paths.root + "/" + dir
	}
}

// Project makes the following file names relative to a directory below the command's, if the directory has one of the
// files. Otherwise names are relative to the lane's own package.
func (s *Scan) Project(dir string, files ...string) {
	s.cur.pkg = s.cur.home
	if s.paths.tree == nil || len(s.paths.work) != 1 {
		return
	}
	dir = path.Join(s.paths.work[0], dir)
	if slices.ContainsFunc(files, func(name string) bool { return s.paths.tree.Has(path.Join(dir, name)) }) {
		s.cur.pkg = s.paths.root + "/" + dir
	}
}

// CrateFile returns the absolute path of a file of a Cargo package. It returns "" if the package is not in the work
// tree, or if it is the only one in the command's directory, so that the names of its files need no directory.
func (s *Scan) CrateFile(crate, file string) string {
	if s.paths.tree == nil {
		return ""
	}
	dir, ok := s.paths.tree.Package("Cargo.toml", crate)
	if !ok || !s.paths.tree.Has(path.Join(dir, file)) || len(s.paths.work) == 1 && dir == s.paths.work[0] {
		return ""
	}
	return path.Join(s.paths.root, dir, file)
}

// CargoRoot returns the directory of the Cargo workspace in which the command ran. Cargo's file names are relative
// to this directory. CargoRoot returns "" if the directory is unknown.
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

// locate returns the path in the work tree for a file name that a tool has printed. The argument in lists the
// directories to which the name may be relative. locate returns "" if several files fit. If no file fits, locate
// returns the path of the name in the first directory.
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

// among returns the paths of a file in those directories that contain the file.
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

// join returns the path of a file in a directory. A file outside of the tree keeps its name.
func join(dir, file string) string {
	joined := path.Join(dir, file)
	if strings.HasPrefix(joined, "../") {
		return path.Clean(file)
	}
	return joined
}
