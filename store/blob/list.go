package blob

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sort"
	"strings"
)

// List implements store.Blobs. It reads only directories that can contain keys with the prefix.
func (f *File) List(ctx context.Context, prefix, after string, limit int) ([]string, error) {
	l := listing{file: f, prefix: prefix, after: after, limit: limit}
	if err := l.add(ctx, ""); err != nil {
		return nil, fmt.Errorf("list %s: %w", prefix, err)
	}
	return l.keys, nil
}

// listing is one call of List, with the keys that it has found.
type listing struct {
	file          *File
	prefix, after string
	limit         int
	keys          []string
}

func (l *listing) full() bool { return l.limit > 0 && len(l.keys) >= l.limit }

// add adds the keys below a directory, in order. The name of the directory is "" or ends in a slash.
func (l *listing) add(ctx context.Context, dir string) error {
	entries, err := os.ReadDir(l.file.path(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // another process has deleted the directory
	}
	if err := errors.Join(err, ctx.Err()); err != nil {
		return err
	}
	sort.Slice(entries, func(i, j int) bool { return keyPart(entries[i]) < keyPart(entries[j]) })
	for _, e := range entries {
		key := dir + keyPart(e)
		switch {
		case l.full():
			return nil
		case e.IsDir():
			if l.isWanted(key) {
				if err := l.add(ctx, key); err != nil {
					return err
				}
			}
		case e.Type().IsRegular() && strings.HasPrefix(key, l.prefix) && key > l.after && CheckKey(key) == nil:
			l.keys = append(l.keys, key)
		}
	}
	return nil
}

// keyPart returns the name of a file, or the name of a directory and a slash. In this form, the names sort like the
// keys.
func keyPart(e fs.DirEntry) string {
	if e.IsDir() {
		return e.Name() + "/"
	}
	return e.Name()
}

// isWanted reports whether a directory may contain keys that the listing returns.
func (l *listing) isWanted(dir string) bool {
	return (strings.HasPrefix(dir, l.prefix) || strings.HasPrefix(l.prefix, dir)) &&
		(dir > l.after || strings.HasPrefix(l.after, dir))
}
