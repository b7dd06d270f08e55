package worktree

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/internal/ci"
	"github.com/blq-ci/blq/store"
)

// set returns the set of those listed files that are facts of the kind. It reads only files that are neither in the
// cache nor in s.Memory.
func (s *Source) set(ctx context.Context, top string, kind store.FactKind, list []listed) (facts.Set, error) {
	paths := make([]string, len(list))
	for i, f := range list {
		paths[i] = f.path
	}
	has := facts.Settled(kind, paths)
	list = slices.DeleteFunc(list, func(f listed) bool { return !utf8.ValidString(f.path) || !has(f.path) })
	c := openCache(s.Cache)
	root, err := os.OpenRoot(top)
	if err != nil {
		return nil, store.Errorf(store.Unavailable, "read %s: %w", top, err)
	}
	m := measuring{ctx: ctx, cache: c, memory: s.Memory, root: root, size: facts.Size{Kind: kind}}
	defer root.Close()
	entries, err := m.entries(top, list)
	if err != nil {
		return nil, err
	}
	manifest, text, err := facts.NewManifest(kind, entries)
	if err != nil {
		return nil, err
	}
	c.save()
	blobs := make(map[string]string, len(list))
	for _, f := range list {
		blobs[f.path] = f.blob
	}
	from := s.Memory.reader(top)
	return facts.NewListed(manifest, text, func(ctx context.Context, f facts.File) ([]byte, error) {
		if blob := blobs[f.Path]; blob != "" {
			if known, ok := s.Memory.get(blob); ok {
				return slices.Clone(known.content), ctx.Err()
			}
			return from.blob(ctx, blob)
		}
		return from.file(f.Path)
	}), nil
}

// measuring computes the digests and sizes of files.
type measuring struct {
	ctx    context.Context //nolint:containedctx // the context of the call that measures
	cache  *cache
	memory *Memory
	root   *os.Root
	size   facts.Size
}

// entries returns the manifest entries of files.
func (m *measuring) entries(top string, list []listed) ([]facts.Entry, error) {
	entries := make([]facts.Entry, 0, len(list))
	unknown := map[string][]int{} // positions of entries by blob
	var order []string
	for _, f := range list {
		e := facts.Entry{File: facts.File{Path: f.path}, Mode: f.mode}
		var err error
		known := true
		if f.blob != "" {
			e.Digest, e.Size, known = m.blob(f.blob)
		} else {
			e.Digest, e.Size, err = m.file(f.path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if !known {
			if unknown[f.blob] == nil {
				order = append(order, f.blob)
			}
			unknown[f.blob] = append(unknown[f.blob], len(entries))
		} else if err := m.size.Add(f.path, e.Size); err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	err := m.blobs(top, order, func(blob, digest string, size int64) error {
		m.cache.setBlob(blob, digest, size)
		for _, i := range unknown[blob] {
			entries[i].Digest, entries[i].Size = digest, size
			if err := m.size.Add(entries[i].Path, size); err != nil {
				return err
			}
		}
		return nil
	})
	return entries, err
}

// blob returns the digest and size of a git object that was read before. isKnown reports whether the object was read
// before.
func (m *measuring) blob(id string) (digest string, size int64, isKnown bool) {
	if o, ok := m.memory.get(id); ok {
		return o.digest, int64(len(o.content)), true
	}
	return m.cache.blob(id)
}

// file returns the digest and size of a file on the disk.
func (m *measuring) file(path string) (digest string, size int64, err error) {
	f, err := m.root.Open(filepath.FromSlash(path))
	if err != nil {
		return "", 0, unreadable(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", 0, unreadable(path, err)
	}
	if digest, ok := m.cache.file(path, info); ok {
		return digest, info.Size(), nil
	}
	if info.Size() > facts.MaxFile {
		return "", 0, (&facts.Size{}).Add(path, info.Size())
	}
	h := sha256.New()
	if size, err = io.Copy(h, io.LimitReader(f, facts.MaxFile+1)); err != nil {
		return "", 0, unreadable(path, err)
	}
	digest = hex.EncodeToString(h.Sum(nil))
	if size == info.Size() {
		m.cache.setFile(path, info, digest)
	}
	return digest, size, nil
}

func unreadable(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return store.Hint(store.Errorf(store.Unavailable, "read %s: %w", path, err), "check its permissions")
}

// blobs reads git objects with one git process. It calls a function with the ID, digest and size of each object. If the
// function returns an error, blobs stops and returns that error.
func (m *measuring) blobs(top string, ids []string, each func(blob, digest string, size int64) error) error {
	if len(ids) == 0 {
		return nil
	}
	ctx, cancel := context.WithCancel(m.ctx)
	defer cancel()
	cmd := ci.GitCommand(ctx, top, "cat-file", "--batch", "--buffer")
	cmd.Stdin = strings.NewReader(strings.Join(ids, "\n") + "\n")
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return gitFailed(ctx, "cat-file", "", err)
	}
	in := bufio.NewReaderSize(out, 256<<10)
	for _, id := range ids {
		h := sha256.New()
		var size int64
		content := bytes.Buffer{}
		if size, err = readBlob(in, id, m.tee(h, &content)); err != nil {
			break
		}
		digest := hex.EncodeToString(h.Sum(nil))
		if int64(content.Len()) == size {
			m.memory.put(id, object{content.Bytes(), digest})
		}
		if err = each(id, digest, size); err != nil {
			break
		}
	}
	if err != nil {
		cancel()
	}
	if ended := cmd.Wait(); err == nil && ended != nil {
		err = gitFailed(m.ctx, "cat-file", said.String(), ended)
	}
	return err
}

// tee returns a writer for the content of an object. The writer writes to the writer to. If m has a memory, it also
// copies the beginning of the content, which is all of a small object, to the buffer small.
func (m *measuring) tee(to io.Writer, small *bytes.Buffer) io.Writer {
	if m.memory == nil {
		return to
	}
	return io.MultiWriter(to, &limited{small})
}

// limited keeps the beginning of the text that is written to it.
type limited struct{ to *bytes.Buffer }

// Write implements io.Writer.
func (l *limited) Write(p []byte) (int, error) {
	l.to.Write(p[:min(len(p), maxObject+1-min(maxObject+1, l.to.Len()))])
	return len(p), nil
}

// readBlob reads the header of an object, the content, and the line end after the content. It writes the content to the
// writer to, and returns the size of the content.
func readBlob(in *bufio.Reader, id string, to io.Writer) (int64, error) {
	header, err := in.ReadString('\n')
	if err != nil {
		return 0, fmt.Errorf("read git object %.12s: %w", id, err)
	}
	var name, kind string
	var size int64
	if n, _ := fmt.Sscan(header, &name, &kind, &size); n != 3 || name != id {
		return 0, store.Hint(store.Errorf(store.NotFound, "git does not have object %.12s, as in a partial clone", id),
			"fetch it: git fetch")
	}
	if _, err := io.CopyN(to, in, size); err != nil {
		return 0, fmt.Errorf("read git object %.12s: %w", id, err)
	}
	_, err = in.Discard(1)
	return size, err
}
