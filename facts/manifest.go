package facts

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/blq-ci/blq/internal/jsonsize"
	"github.com/blq-ci/blq/store"
)

// Manifest lists the files of a set. Its text is canonical: equal sets have equal texts.
type Manifest struct {
	Version int            `json:"version"`
	Kind    store.FactKind `json:"kind"`
	Entries []Entry        `json:"files"` // sorted by path
}

// Entry is a file of a manifest.
type Entry struct {
	File
	Mode string `json:"mode,omitempty"` // Executable, "" for other files
}

// Executable is git's mode of an executable file.
const Executable = "100755"

// version is the manifest version of this program.
const version = 1

// NewManifest returns the manifest of files, and its text. The error is Invalid if the kind or an entry is not valid,
// or if two entries have the same path. The error is TooLarge if the files are too many or too large.
func NewManifest(kind store.FactKind, entries []Entry) (Manifest, []byte, error) {
	m := Manifest{Version: version, Kind: kind, Entries: slices.Clone(entries)}
	if m.Entries == nil {
		m.Entries = []Entry{}
	}
	sort.Slice(m.Entries, func(i, j int) bool { return m.Entries[i].Path < m.Entries[j].Path })
	if err := m.check(); err != nil {
		return Manifest{}, nil, err
	}
	text, err := m.text()
	if err != nil {
		return Manifest{}, nil, err
	}
	if len(text) > MaxManifest {
		return Manifest{}, nil, store.Hint(store.Errorf(store.TooLarge,
			"the paths of the %d files of %s take more than %d bytes, which is the limit", len(entries), kind, MaxManifest),
			Excluding)
	}
	return m, text, nil
}

func (m Manifest) text() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(m)
	return b.Bytes(), err
}

// maxValues is the max number of values and keys in a manifest. A file has four values and four keys.
const maxValues = 10*maxFiles + 100

// parseManifest reads the text of a manifest. The error is Invalid if the text is not a canonical manifest of this
// version. The error is TooLarge if the files are too many or too large.
func parseManifest(text []byte) (Manifest, error) {
	if len(text) > MaxManifest {
		return Manifest{}, store.Errorf(store.TooLarge, "the manifest has more than %d bytes", MaxManifest)
	}
	m, scanned := scanManifest(text)
	if !scanned {
		var err error
		if m, err = decodeManifest(text); err != nil {
			return m, err
		}
	}
	if m.Version != version {
		return m, store.Hint(store.Errorf(store.Invalid, "the manifest has version %d; this program reads %d", m.Version,
			version), "update the older of blq and blqd")
	}
	if err := m.check(); err != nil {
		return m, err
	}
	if scanned {
		return m, nil
	}
	if again, err := m.text(); err != nil || !bytes.Equal(again, text) {
		return m, store.Errorf(store.Invalid, "the manifest is not canonical: its text is not what blq writes")
	}
	return m, nil
}

// decodeManifest decodes the JSON of a manifest. It limits the number of files, and checks nothing else.
func decodeManifest(text []byte) (m Manifest, err error) {
	if jsonsize.Values(text) > maxValues {
		err := store.Errorf(store.TooLarge, "the manifest has more than %d files, which is the limit", maxFiles)
		return m, store.Hint(err, Excluding)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, store.Errorf(store.Invalid, "the manifest is not valid: %w", err)
	}
	return m, nil
}

// check checks the kind and the files. The files have to be sorted.
func (m Manifest) check() error {
	if !slices.Contains(store.FactKinds, m.Kind) {
		return store.Errorf(store.Invalid, "%.40q is not a kind of facts", m.Kind)
	}
	size := Size{Kind: m.Kind}
	for i, e := range m.Entries {
		switch {
		case !isPath(e.Path):
			return store.Errorf(store.Invalid, "%.200q cannot be the path of a file of facts", e.Path)
		case i > 0 && m.Entries[i-1].Path >= e.Path:
			return store.Errorf(store.Invalid, "%.200q is listed twice, or not in order", e.Path)
		case !store.IsDigest(e.Digest) || e.Size < 0 || e.Mode != "" && e.Mode != Executable:
			return store.Errorf(store.Invalid, "%.200q has no valid digest, size or mode", e.Path)
		}
		if err := size.Add(e.Path, e.Size); err != nil {
			return err
		}
	}
	return nil
}

// isPath reports whether a path is allowed for a file of facts.
func isPath(p string) bool {
	return fs.ValidPath(p) && p != "." && len(p) <= 4096 && utf8.ValidString(p) && !strings.ContainsRune(p, 0)
}

// Size returns the number of files and their bytes.
func (m Manifest) Size() Size {
	size := Size{Kind: m.Kind, Files: len(m.Entries)}
	for _, e := range m.Entries {
		size.Bytes += e.Size
	}
	return size
}

// Digests returns the digests of the files, sorted, each once.
func (m Manifest) Digests() []string {
	list := make([]string, 0, len(m.Entries))
	for _, e := range m.Entries {
		list = append(list, e.Digest)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Digest returns the SHA-256 of a content, hexadecimal.
func Digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// Content is the content of an object, with its digest.
type Content struct {
	Digest string
	Text   []byte
}

// ContentOf returns a text with its digest.
func ContentOf(text []byte) Content { return Content{Digest(text), text} }

// Listed is a set whose files are in a manifest.
type Listed struct {
	Text   []byte // text of the manifest
	digest string
	files  []File
	read   func(ctx context.Context, f File) ([]byte, error)
	first  func() map[string]int // positions of files by digest
}

// NewListed returns the set of a manifest. open returns the content of a file. That content must have the file's
// digest.
func NewListed(m Manifest, text []byte, open func(ctx context.Context, f File) ([]byte, error)) *Listed {
	l := &Listed{Text: text, digest: Digest(text), files: make([]File, len(m.Entries)), read: open}
	for i, e := range m.Entries {
		l.files[i] = e.File
	}
	l.first = sync.OnceValue(l.byDigest)
	return l
}

func (l *Listed) byDigest() map[string]int {
	positions := make(map[string]int, len(l.files))
	for i, f := range l.files {
		positions[f.Digest] = i
	}
	return positions
}

// Files implements Set.
func (l *Listed) Files() []File { return l.files }

// Digest implements Set.
func (l *Listed) Digest() string { return l.digest }

// Read implements Set.
func (l *Listed) Read(ctx context.Context, f File) ([]byte, error) {
	i, found := slices.BinarySearchFunc(l.files, f.Path, func(have File, path string) int {
		return cmp.Compare(have.Path, path)
	})
	if !found || l.files[i] != f {
		return nil, store.Errorf(store.NotFound, "no file %.200q with the digest %.12s", f.Path, f.Digest)
	}
	content, err := l.read(ctx, f)
	if err != nil {
		return nil, err
	}
	if Digest(content) != f.Digest {
		return nil, store.Hint(store.Errorf(store.Conflict, "%s has changed since its facts were read", f.Path), "ask again")
	}
	return content, nil
}

// Content returns the manifest or the file with the given digest. The error is NotFound if the set has neither.
func (l *Listed) Content(ctx context.Context, digest string) ([]byte, error) {
	if digest == l.digest {
		return l.Text, nil
	}
	if i, found := l.first()[digest]; found {
		return l.Read(ctx, l.files[i])
	}
	return nil, store.Errorf(store.NotFound, "no file with the digest %.12s", digest)
}
