//go:build e2e

package actions

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// tree returns the contents of all files in a folder, by name.
func tree(t *testing.T, root fs.FS) map[string]string {
	t.Helper()
	texts := map[string]string{}
	check(t, fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := fs.ReadFile(root, name)
		texts[name] = string(text)
		return err
	}))
	return texts
}

var zstdMagic = []byte("\x28\xb5\x2f\xfd")

// plain returns the contents of all files in a folder. Compressed contents are followed by the decompressed contents.
func plain(t *testing.T, dir string) map[string]string {
	t.Helper()
	texts := tree(t, os.DirFS(dir))
	for name, text := range texts {
		if at := bytes.Index([]byte(text), zstdMagic); at == 0 {
			r, err := zstd.NewReader(bytes.NewReader([]byte(text)))
			check(t, err)
			more, err := io.ReadAll(r)
			check(t, err)
			r.Close()
			texts[name] = text + string(more)
		}
	}
	return texts
}
