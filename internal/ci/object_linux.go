package ci

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/blq-ci/blq/internal/glob"
)

// isSHA1 reports whether a text is the name of an object in a repository with SHA-1.
func isSHA1(s string) bool {
	_, err := hex.DecodeString(s)
	return len(s) == 40 && err == nil && strings.ToLower(s) == s
}

// treeOf returns the tree of a commit. It finds loose commits, and packed commits that are not stored as deltas. If
// there are more than 20 packs, it finds only loose commits.
func (r repo) treeOf(commit string) (tree string, ok bool) {
	objects := filepath.Join(r.common, "objects")
	if f, err := os.Open(filepath.Join(objects, commit[:2], commit[2:])); err == nil {
		defer f.Close()
		head := inflated(f, 0)
		kind, body, _ := bytes.Cut(head, []byte{0})
		return treeIn(body, bytes.HasPrefix(kind, []byte("commit ")))
	}
	id, err := hex.DecodeString(commit)
	if err != nil {
		return "", false
	}
	packs := glob.In(filepath.Join(objects, "pack"), "pack-*.idx")
	if len(packs) > 20 {
		return "", false
	}
	for _, name := range packs {
		if at, ok := packed(name, id); ok {
			return packedTree(strings.TrimSuffix(name, ".idx")+".pack", at)
		}
	}
	return "", false
}

// treeIn returns the tree that the first line of a commit names.
func treeIn(commit []byte, is bool) (tree string, ok bool) {
	line, _, _ := bytes.Cut(commit, []byte{'\n'})
	tree, ok = strings.CutPrefix(string(line), "tree ")
	return tree, ok && is && isSHA1(tree)
}

// inflated decompresses zlib data that begins at an offset of a file, and returns the first bytes of the text.
func inflated(f io.ReaderAt, at int64) []byte {
	r := flate.NewReader(io.NewSectionReader(f, at+2, 1<<16)) // the header of zlib has two bytes
	head := make([]byte, 128)
	n, _ := io.ReadFull(r, head) // a short or damaged text has no tree
	return head[:n]
}

// packed looks up an object in the index of a pack. It returns the object's offset in the pack, and reports whether it
// found the object. It finds no objects at offsets of 2 GB or more.
func packed(index string, id []byte) (at int64, ok bool) {
	f, err := os.Open(index)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	const fanout = 8
	number := func(at int64) int64 {
		var b [4]byte
		if _, readErr := f.ReadAt(b[:], at); readErr != nil {
			err = readErr
		}
		return int64(binary.BigEndian.Uint32(b[:]))
	}
	if number(0) != 0xff744f63 || number(4) != 2 {
		return 0, false
	}
	from, to, all := int64(0), number(fanout+4*int64(id[0])), number(fanout+4*255)
	if id[0] > 0 {
		from = number(fanout + 4*int64(id[0]-1))
	}
	if err != nil || from > to || to > all {
		return 0, false
	}
	const names = fanout + 4*256
	name := make([]byte, 20)
	n := from + int64(sort.Search(int(to-from), func(i int) bool {
		if _, readErr := f.ReadAt(name, names+20*(from+int64(i))); readErr != nil {
			err = readErr
		}
		return bytes.Compare(name, id) >= 0
	}))
	if n == to {
		return 0, false
	}
	if _, readErr := f.ReadAt(name, names+20*n); readErr != nil || !bytes.Equal(name, id) {
		return 0, false
	}
	at = number(names + 24*all + 4*n)
	return at, err == nil && at < 1<<31
}

// packedTree returns the tree of the commit at an offset of a pack.
func packedTree(pack string, at int64) (tree string, ok bool) {
	f, err := os.Open(pack)
	if err != nil {
		return "", false
	}
	defer f.Close()
	head := make([]byte, 16)
	n, _ := f.ReadAt(head, at) // the end of the pack is more than 16 bytes long
	if n < len(head) {
		return "", false
	}
	const commit = 1
	kind, size := head[0]>>4&7, 1
	for head[size-1]&0x80 != 0 && size < len(head) {
		size++
	}
	return treeIn(inflated(f, at+int64(size)), kind == commit)
}
