package facts

import "context"

// Past knows the state of source files at the last change of a document.
type Past interface {
	// Changed returns the source files that may have changed since a document was last changed. They include removed
	// files.
	Changed() []string
	// Knows reports whether the time of the last change of a document is known.
	Knows(doc string) bool
	// Was returns the state of a source file at the last change of a document. The last change of the document must
	// be known, and the source file must be one of Changed.
	Was(doc, file string) Was
}

// Was is the state of a file at an earlier time.
type Was struct {
	Same    bool   // the file is unchanged
	Existed bool   // the file existed
	Digest  string // digest of the content, "" if Read has to read the content
	Read    func(ctx context.Context) ([]byte, error)
}

// Historian is a Source that knows when documents were last changed.
type Historian interface {
	Source
	// Past returns the past of the given source files and documents. It covers only the named documents.
	Past(ctx context.Context, sources, docs Found, named []string) (Past, error)
}

// since is a Past that compares the present with one earlier commit.
type since struct {
	changed     []string
	docs, files map[string]bool // paths that differ
	before      map[string]File
	set         Set
}

// Since returns a Past that knows only one earlier commit. If a document is unchanged since that commit, the source
// files are compared with that commit. A changed document counts as changed now, so no source file has changed after
// the document.
func Since(docs, sources, docsBefore, sourcesBefore Set) Past {
	s := newSince(sources, sourcesBefore)
	s.docs = differ(docs, docsBefore)
	return s
}

func newSince(sources, before Set) *since {
	s := &since{files: differ(sources, before), before: map[string]File{}, set: before}
	for _, f := range before.Files() {
		if s.files[f.Path] {
			s.before[f.Path] = f
		}
	}
	for path := range s.files {
		s.changed = append(s.changed, path)
	}
	return s
}

// differ returns the paths of files that differ between two sets, or that only one set has.
func differ(a, b Set) map[string]bool {
	digests := map[string]string{}
	for _, f := range a.Files() {
		digests[f.Path] = f.Digest
	}
	paths := map[string]bool{}
	for _, f := range b.Files() {
		if digests[f.Path] != f.Digest {
			paths[f.Path] = true
		}
		delete(digests, f.Path)
	}
	for path := range digests {
		paths[path] = true
	}
	return paths
}

func (s *since) Changed() []string { return s.changed }

func (s *since) Knows(string) bool { return true }

func (s *since) Was(doc, file string) Was {
	f, existed := s.before[file]
	return Was{Same: s.docs[doc] || !s.files[file], Existed: existed, Digest: f.Digest,
		Read: func(ctx context.Context) ([]byte, error) { return s.set.Read(ctx, f) }}
}
