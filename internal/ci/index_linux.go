package ci

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"os"
	"path"
	"strings"
)

// maxIndex is the max size in bytes of an index that is read. For a larger index, git itself is faster, because it uses
// several threads.
const maxIndex = 128 << 10

// index is the list of files that git tracks.
type index struct {
	entries []indexEntry
	tree    string // the tree that the entries make, "" if unknown
	written uint32 // time of the file in seconds
}

// indexEntry is a file that git tracks.
type indexEntry struct {
	name string
	mode uint32
	id   [20]byte // hash of the file's content
	stat indexStat
}

// indexStat is the status of a file at the time when git last compared the file with the index.
type indexStat struct{ ctime, ctimeNS, mtime, mtimeNS, inode, user, group, size uint32 }

// readIndex reads a small index of version 2 or 3. It reports whether it understands all parts of the index. The format
// is described in git's documentation, in gitformat-index.
func readIndex(file string) (x index, ok bool) {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxIndex {
		return x, false
	}
	text, err := os.ReadFile(file)
	const head, sum = 12, 20
	if err != nil || len(text) < head+sum || string(text[:4]) != "DIRC" {
		return x, false
	}
	if version := binary.BigEndian.Uint32(text[4:]); version != 2 && version != 3 {
		return x, false
	}
	x.written = uint32(info.ModTime().Unix())
	count := binary.BigEndian.Uint32(text[8:])
	text = text[head : len(text)-sum]
	for range count {
		e, size, ok := readEntry(text)
		if !ok {
			return x, false
		}
		x.entries = append(x.entries, e)
		text = text[size:]
	}
	return x, x.extensions(text)
}

// readEntry reads the first entry of a text. ok is false for entries with a conflict or with flags, and for files named
// .gitattributes.
func readEntry(text []byte) (e indexEntry, size int, ok bool) {
	const fixed = 62
	if len(text) < fixed {
		return e, 0, false
	}
	field := func(i int) uint32 { return binary.BigEndian.Uint32(text[4*i:]) }
	e.stat = indexStat{ctime: field(0), ctimeNS: field(1), mtime: field(2), mtimeNS: field(3), inode: field(5),
		user: field(7), group: field(8), size: field(9)}
	e.mode = field(6)
	copy(e.id[:], text[40:])
	flags := binary.BigEndian.Uint16(text[60:])
	end := bytes.IndexByte(text[fixed:], 0)
	if flags&0xf000 != 0 || end <= 0 {
		return e, 0, false
	}
	e.name = string(text[fixed : fixed+end])
	size = (fixed + end + 8) &^ 7 // at least one zero follows the name
	// A file .gitattributes can make git convert other files.
	ok = size <= len(text) && path.Base(e.name) != ".gitattributes" && !strings.HasPrefix(e.name, "/")
	return e, size, ok
}

// extensions reads the extensions after the entries. It reports whether it understands all of them.
func (x *index) extensions(text []byte) bool {
	for len(text) > 0 {
		if len(text) < 8 {
			return false
		}
		name, size := string(text[:4]), int64(binary.BigEndian.Uint32(text[4:]))
		text = text[8:]
		if size > int64(len(text)) {
			return false
		}
		switch name {
		case "TREE":
			x.tree = rootTree(text[:size])
		case "REUC", "UNTR", "EOIE", "IEOT": // earlier conflicts, untracked files, offsets
		default:
			return false
		}
		text = text[size:]
	}
	return true
}

// rootTree returns the tree of the top directory from the extension TREE. It returns "" if the extension does not have
// the tree.
func rootTree(text []byte) string {
	name, rest, ok := bytes.Cut(text, []byte{0})
	if !ok || len(name) > 0 {
		return ""
	}
	counts, rest, ok := bytes.Cut(rest, []byte{'\n'})
	if !ok || bytes.HasPrefix(counts, []byte("-")) || len(rest) < 20 {
		return ""
	}
	return hex.EncodeToString(rest[:20])
}
