// Package glob finds files by a pattern below a folder. Unlike filepath.Glob, it does not read the name of the folder
// as a part of the pattern. Names such as app/[slug] are common. The package may import the standard library only.
package glob

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// In returns the files and folders below the folder dir that match a pattern of path.Match. An invalid pattern matches
// nothing, and neither does a pattern with the element "..". The folder "" is the current directory.
func In(dir, pattern string) []string {
	dir = filepath.Clean(dir)
	names, _ := fs.Glob(os.DirFS(dir), pattern) // fails only for an invalid pattern
	for i, name := range names {
		names[i] = filepath.Join(dir, filepath.FromSlash(name))
	}
	return names
}

// Relative returns the files that match a pattern. The pattern may be absolute, or may begin with "..". Otherwise it is
// relative to the folder dir.
func Relative(dir, pattern string) []string {
	pattern = filepath.ToSlash(pattern)
	special := strings.IndexAny(pattern, `*?[\`)
	if special < 0 {
		special = len(pattern)
	}
	at := strings.LastIndexByte(pattern[:special], '/') + 1
	folder := filepath.FromSlash(pattern[:at])
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(dir, folder)
	}
	return In(folder, pattern[at:])
}
