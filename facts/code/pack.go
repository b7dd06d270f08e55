package code

import (
	"encoding/binary"
	"hash/crc32"
	"strings"

	"github.com/blq-ci/blq/facts"
)

// packHead begins the encoded index. Raise its number when the encoding changes, or when scanners read more.
const packHead = "blq code 2\n"

// Bytes returns the index as bytes. Open reads these bytes.
func (x *Index) Bytes() []byte {
	w := packer{b: append([]byte(packHead), 0, 0, 0, 0), strings: map[string]uint64{}}
	w.text(x.set)
	w.number(len(x.files))
	for i := range x.files {
		w.file(&x.files[i])
	}
	binary.LittleEndian.PutUint32(w.b[len(packHead):], crc32.ChecksumIEEE(w.b[len(packHead)+4:]))
	return w.b
}

// packer writes numbers and texts. For a repeated text, packer writes only the number of the text.
type packer struct {
	b       []byte
	strings map[string]uint64
}

func (w *packer) number(n int) { w.b = binary.AppendUvarint(w.b, uint64(n)) }

func (w *packer) text(s string) {
	if n, known := w.strings[s]; known {
		w.b = binary.AppendUvarint(w.b, n)
		return
	}
	w.strings[s] = uint64(len(w.strings)) + 1
	w.b = append(w.b, 0)
	w.number(len(s))
	w.b = append(w.b, s...)
}

func (w *packer) texts(list []string) {
	w.number(len(list))
	for _, s := range list {
		w.text(s)
	}
}

func (w *packer) file(f *File) {
	w.text(f.Path)
	w.text(f.Digest)
	w.number(int(f.Size))
	w.text(string(f.Language))
	w.number(f.Lines)
	w.text(f.Package)
	w.texts(f.Packages)
	w.number(len(f.Symbols))
	for _, s := range f.Symbols {
		w.text(s.Name)
		w.text(string(s.Kind))
		w.text(s.Parent)
		w.number(s.Line)
		w.number(s.End - s.Line)
	}
	w.number(len(f.Imports))
	for _, i := range f.Imports {
		w.text(i.Path)
		w.number(i.Line)
		w.texts(i.Names)
		w.texts(i.Targets)
	}
	w.number(len(f.Notes))
	for _, n := range f.Notes {
		w.text(n.Key)
		w.text(n.Node)
		w.number(n.Line)
	}
	w.number(f.mentioned)
	w.number(len(f.mentions))
	for _, m := range f.mentions {
		w.text(m.path)
		w.number(m.line)
		w.number(m.modules)
	}
}

// Open decodes an index that Bytes has written. It reports whether the bytes are an index.
func Open(b []byte) (*Index, bool) {
	rest, ok := strings.CutPrefix(string(b), packHead)
	if !ok || len(rest) < 4 || crc32.ChecksumIEEE(b[len(packHead)+4:]) != binary.LittleEndian.Uint32(b[len(packHead):]) {
		return nil, false
	}
	r := unpacker{b: rest[4:]}
	x := &Index{set: r.text(), files: make([]File, r.count(10))}
	for i := range x.files {
		r.file(&x.files[i])
	}
	return x, !r.broken && r.b == ""
}

// unpacker reads the output of a packer.
type unpacker struct {
	b       string
	strings []string
	broken  bool
}

func (r *unpacker) number() int {
	var n uint64
	for shift := 0; shift < 63; shift += 7 {
		if r.b == "" {
			break
		}
		c := r.b[0]
		r.b = r.b[1:]
		n |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return int(n & (1<<62 - 1))
		}
	}
	r.broken = true
	return 0
}

// count reads the number of entries of a list. bytes is the min number of bytes of an entry.
func (r *unpacker) count(bytes int) int {
	n := r.number()
	if n > len(r.b)/bytes+1 {
		r.broken = true
		return 0
	}
	return n
}

func (r *unpacker) text() string {
	n := r.number()
	if n > 0 {
		if n > len(r.strings) {
			r.broken = true
			return ""
		}
		return r.strings[n-1]
	}
	n = r.number()
	if r.broken || n > len(r.b) {
		r.broken = true
		return ""
	}
	s := r.b[:n]
	r.b = r.b[n:]
	r.strings = append(r.strings, s)
	return s
}

func (r *unpacker) texts() []string {
	n := r.count(1)
	if n == 0 {
		return nil
	}
	list := make([]string, n)
	for i := range list {
		list[i] = r.text()
	}
	return list
}

func (r *unpacker) file(f *File) {
	f.File = facts.File{Path: r.text(), Digest: r.text(), Size: int64(r.number())}
	f.Language = Language(r.text())
	f.Lines = r.number()
	f.Package = r.text()
	f.Packages = r.texts()
	if n := r.count(5); n > 0 {
		f.Symbols = make([]Symbol, n)
	}
	for i := range f.Symbols {
		s := Symbol{Name: r.text(), Kind: Kind(r.text()), Parent: r.text(), Line: r.number()}
		s.End = s.Line + r.number()
		f.Symbols[i] = s
	}
	if n := r.count(4); n > 0 {
		f.Imports = make([]Import, n)
	}
	for i := range f.Imports {
		f.Imports[i] = Import{Path: r.text(), Line: r.number(), Names: r.texts(), Targets: r.texts()}
	}
	if n := r.count(3); n > 0 {
		f.Notes = make([]Note, n)
	}
	for i := range f.Notes {
		f.Notes[i] = Note{Key: r.text(), Node: r.text(), Line: r.number()}
	}
	if f.mentioned = r.number(); f.mentioned > len(f.Imports) {
		r.broken, f.mentioned = true, 0
	}
	if n := r.count(3); n > 0 {
		f.mentions = make([]mention, n)
	}
	for i := range f.mentions {
		f.mentions[i] = mention{path: r.text(), line: r.number(), modules: r.number()}
	}
}
