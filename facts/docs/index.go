package docs

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"sort"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/docs/lexical"
)

// version is the first line of an index.
const version = "blq docs index " + facts.IndexVersion + "\n"

// indexHeader is the size of the header of an index: the version, a checksum of the following parts, and the length of
// the document table. The document table and the words follow.
const indexHeader = len(version) + 4 + 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Index is the searchable index of a set's documents. It is safe for concurrent use.
type Index struct {
	set       string // digest of the set
	documents []*document
	words     *lexical.Index
	size      int // encoded size
	texts     texts
}

// Bytes returns the index in the form that Open reads. Equal sets have equal bytes.
func (x *Index) Bytes() []byte {
	var b bytes.Buffer
	b.Grow(x.size)
	_, _ = x.WriteTo(&b) // writing to a buffer cannot fail
	return b.Bytes()
}

// WriteTo writes the bytes of the index.
func (x *Index) WriteTo(w io.Writer) (int64, error) {
	n := 0
	for _, part := range x.parts() {
		wrote, err := w.Write(part)
		n += wrote
		if err != nil {
			return int64(n), err
		}
	}
	return int64(n), nil
}

// parts returns the bytes of the index in parts.
func (x *Index) parts() [][]byte {
	table := binary.AppendUvarint(appendString(nil, x.set), uint64(len(x.documents)))
	for _, d := range x.documents {
		table = appendDocument(table, d)
	}
	parts := append([][]byte{binary.LittleEndian.AppendUint32(nil, uint32(len(table))), table}, x.words.Parts()...)
	sum := uint32(0)
	for _, part := range parts {
		sum = crc32.Update(sum, castagnoli, part)
	}
	return append([][]byte{binary.LittleEndian.AppendUint32([]byte(version), sum)}, parts...)
}

// Memory returns the max number of bytes of memory that the index takes, including the texts that it keeps.
func (x *Index) Memory() int64 {
	var text, largest int64
	for _, d := range x.documents {
		text, largest = text+d.Size, max(largest, d.Size)
	}
	return int64(x.size) + min(text, max(maxTexts, largest))
}

// Set returns the digest of the indexed set.
func (x *Index) Set() string { return x.set }

// Open decodes an index that Bytes has written. The index keeps b. Errors have the code BadIndex.
func Open(b []byte) (*Index, error) {
	if len(b) < indexHeader || string(b[:len(version)]) != version {
		if bytes.HasPrefix(b, []byte("blq docs index ")) {
			return nil, broken("it is of another version")
		}
		return nil, broken("it is none, or has been cut")
	}
	head, rest := b[len(version):indexHeader], b[indexHeader:]
	if binary.LittleEndian.Uint32(head) != checksum(b) {
		return nil, broken("its checksum differs")
	}
	size := int(binary.LittleEndian.Uint32(head[4:]))
	if size > len(rest) {
		return nil, broken("its table has been cut")
	}
	x := &Index{size: len(b)}
	first, ok := x.readTable(rest[:size])
	if !ok {
		return nil, broken("its table cannot be read")
	}
	words, err := lexical.Open(rest[size:])
	if err != nil || words.Blocks() != first {
		return nil, broken("its words cannot be read")
	}
	x.words = words
	return x, nil
}

func broken(why string) error {
	return hint(Errorf(BadIndex, "the index of the documents cannot be used: %s", why), "delete it, and it is built again")
}

// checksum returns the checksum of an index.
func checksum(b []byte) uint32 { return crc32.Checksum(b[len(version)+4:], castagnoli) }

// readTable reads the table of documents, and returns the number of blocks. It reports false for a broken table.
func (x *Index) readTable(table []byte) (int, bool) {
	r := reader{table}
	x.set = r.string()
	first := 0
	for range r.number() {
		d := &document{first: first}
		d.Path, d.Digest = r.string(), r.string()
		d.Size, d.lines, d.blocks = int64(r.number()), r.number(), r.number()
		d.encoded = r.bytes()
		if r.rest == nil || d.blocks > len(d.encoded) {
			return 0, false
		}
		x.documents = append(x.documents, d)
		first += d.blocks
	}
	return first, r.rest != nil && len(r.rest) == 0
}

func newIndex(set string, documents []*document, words *lexical.Index) *Index {
	x := &Index{set: set, documents: documents, words: words}
	for _, part := range x.parts() {
		x.size += len(part)
	}
	return x
}

// document returns the document at a path, or nil if there is none.
func (x *Index) document(path string) *document {
	i := sort.Search(len(x.documents), func(i int) bool { return x.documents[i].Path >= path })
	if i == len(x.documents) || x.documents[i].Path != path {
		return nil
	}
	return x.documents[i]
}

// documentOf returns the number of the document of a block.
func (x *Index) documentOf(block int) int {
	return sort.Search(len(x.documents), func(i int) bool { return x.documents[i].first > block }) - 1
}

// place returns the document of a block, and the number of the block in this document.
func (x *Index) place(number int) (*document, int) {
	d := x.documents[x.documentOf(number)]
	return d, number - d.first
}

// Stats describes the size of an index.
type Stats struct {
	Documents int
	Lines     int
	Headings  int
	Text      int64 // size of the documents in bytes
	Bytes     int   // size of the encoded index
}

// Stats returns the size of the index.
func (x *Index) Stats() Stats {
	s := Stats{Documents: len(x.documents), Bytes: x.size}
	for _, d := range x.documents {
		s.Lines += d.lines
		s.Text += d.Size
		for _, b := range d.outline() {
			if b.level > 0 && !b.continues() {
				s.Headings++
			}
		}
	}
	return s
}
