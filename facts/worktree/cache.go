package worktree

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// cache remembers digests of git objects and files. Git objects never change. A file counts as unchanged if its size,
// the time of its last change and its inode are the same. The cache file may be lost, damaged, or written by several
// processes at once.
type cache struct {
	name    string
	blobs   map[string]measured
	files   map[string]measured
	used    map[string]bool // blobs that this process has requested
	changed bool
	now     time.Time
}

// measured has the digest and size of a git object or file. For a file, measured also has the time of the last change
// and the inode.
type measured struct {
	digest  [32]byte
	size    int64
	changed int64 // time of the last change, in nanoseconds
	inode   uint64
}

// cacheHead begins the cache file. Raise its number when the format changes.
const cacheHead = "blq facts 1\n"

// maxCached limits the git objects in the cache file. If there are more, save keeps only the objects that this process
// has used.
const maxCached = 200_000

// settling is the min age of a file's last change before its digest is kept. Another change soon afterwards could
// have the same time.
const settling = 2 * time.Second

// openCache reads a cache file. If the file is missing or damaged, the cache is empty. If the name of the file is "",
// the cache is never stored.
func openCache(name string) *cache {
	c := &cache{name: name, blobs: map[string]measured{}, files: map[string]measured{}, used: map[string]bool{},
		now: time.Now()}
	if name == "" {
		return c
	}
	text, err := os.ReadFile(name)
	if err != nil || !c.parse(text) {
		c.blobs, c.files = map[string]measured{}, map[string]measured{}
	}
	return c
}

// parse reads the text of a cache, and reports whether the text is complete.
func (c *cache) parse(text []byte) bool {
	body, ok := bytes.CutPrefix(text, []byte(cacheHead))
	if !ok || len(body) < 4 || crc32.ChecksumIEEE(body[4:]) != binary.LittleEndian.Uint32(body) {
		return false
	}
	body = body[4:]
	for len(body) > 0 {
		kind, n := body[0], 0
		if len(body) >= 3 {
			n = int(binary.LittleEndian.Uint16(body[1:]))
		}
		if len(body) < 3+n+56 {
			return false
		}
		name, rest := string(body[3:3+n]), body[3+n:]
		m := measured{size: int64(binary.LittleEndian.Uint64(rest[32:])),
			changed: int64(binary.LittleEndian.Uint64(rest[40:])), inode: binary.LittleEndian.Uint64(rest[48:])}
		copy(m.digest[:], rest)
		if kind == 'b' {
			c.blobs[name] = m
		} else {
			c.files[name] = m
		}
		body = rest[56:]
	}
	return true
}

// save writes the cache file if there are new digests. If the write fails, a later process computes the new digests
// again.
func (c *cache) save() {
	if c.name == "" || !c.changed {
		return
	}
	if len(c.blobs) > maxCached {
		for id := range c.blobs {
			if !c.used[id] {
				delete(c.blobs, id)
			}
		}
	}
	body := make([]byte, 4, 4+(len(c.blobs)+len(c.files))*100)
	for id, m := range c.blobs {
		body = appendMeasured(body, 'b', id, m)
	}
	for path, m := range c.files {
		body = appendMeasured(body, 'f', path, m)
	}
	binary.LittleEndian.PutUint32(body, crc32.ChecksumIEEE(body[4:]))
	if os.MkdirAll(filepath.Dir(c.name), 0o755) != nil {
		return
	}
	f, err := os.CreateTemp(filepath.Dir(c.name), ".tmp-")
	if err != nil {
		return
	}
	_, err = f.Write(append([]byte(cacheHead), body...))
	if closed := f.Close(); err == nil && closed == nil && os.Rename(f.Name(), c.name) == nil {
		return
	}
	os.Remove(f.Name())
}

func appendMeasured(b []byte, kind byte, name string, m measured) []byte {
	b = append(b, kind)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(name)))
	b = append(append(b, name...), m.digest[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(m.size))
	b = binary.LittleEndian.AppendUint64(b, uint64(m.changed))
	return binary.LittleEndian.AppendUint64(b, m.inode)
}

// blob returns the digest and size of a git object. ok reports whether the cache has the object.
func (c *cache) blob(id string) (digest string, size int64, ok bool) {
	m, ok := c.blobs[id]
	if !ok {
		return "", 0, false
	}
	c.used[id] = true
	return hex.EncodeToString(m.digest[:]), m.size, true
}

func (c *cache) setBlob(id, digest string, size int64) {
	c.used[id], c.changed = true, true
	c.blobs[id] = newMeasured(digest, size)
}

func newMeasured(digest string, size int64) measured {
	m := measured{size: size}
	_, _ = hex.Decode(m.digest[:], []byte(digest)) // the text is a valid digest
	return m
}

// file returns the digest of a file that has not changed since its digest was computed. It reports false for other
// files.
func (c *cache) file(path string, info fs.FileInfo) (string, bool) {
	m, known := c.files[path]
	if !known || m.size != info.Size() || m.changed != info.ModTime().UnixNano() || m.inode != inode(info) {
		return "", false
	}
	return hex.EncodeToString(m.digest[:]), true
}

func (c *cache) setFile(path string, info fs.FileInfo, digest string) {
	if len(path) > 1<<15 || c.now.Sub(info.ModTime()) < settling {
		return
	}
	m := newMeasured(digest, info.Size())
	m.changed, m.inode = info.ModTime().UnixNano(), inode(info)
	c.files[path], c.changed = m, true
}
