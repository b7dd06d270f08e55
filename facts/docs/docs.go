// Package docs answers questions about the documentation of a commit: it cuts documents into blocks under headings,
// searches them, and reads the lines that citations name. It is a library without store, network and command line.
package docs

import "context"

// File is a document of a Set.
type File struct {
	Path   string // with forward slashes
	Digest string
	Size   int64
}

// Set is the documents of one version. It is safe for concurrent use.
type Set interface {
	Files() []File // sorted by path
	Read(ctx context.Context, f File) ([]byte, error)
	Digest() string // of the whole set
}
