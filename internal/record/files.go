package record

import (
	"os"
	"path/filepath"
	"time"

	"github.com/blq-ci/blq/store"
)

// These limit the work on files that events name. A larger file gets no digest. After the time limit, no further file
// gets a digest.
const (
	maxDigested = 4 << 20 // bytes of a file
	digestTime  = 200 * time.Millisecond
)

// name records the files that events name.
func (s *session) name(events []store.Event) {
	for _, e := range events {
		if e.File != "" && len(s.files) < store.MaxFileDigests && e.Severity != store.SeverityInfo {
			s.files[e.File] = true
		}
	}
}

// digests returns the present digests of the named files.
func (s *session) digests() store.FileDigests {
	if len(s.files) == 0 || s.late {
		return nil
	}
	root, err := os.OpenRoot(rootOf(s.w, s.run))
	if err != nil {
		return nil // the digests would not be useful later
	}
	defer root.Close()
	list := store.FileDigests{}
	began := time.Now()
	for file := range s.files {
		if time.Since(began) > digestTime {
			break
		}
		if digest := digestOf(root, file); digest != "" {
			list[file] = digest
		}
	}
	return list
}

// digestOf returns the digest of a file. It returns "" if the file is not regular, is too large, or cannot be read.
func digestOf(root *os.Root, file string) string {
	name := filepath.FromSlash(file)
	info, err := root.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxDigested { // reading a pipe would block
		return ""
	}
	f, err := root.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	digest, err := store.FileDigest(f)
	if err != nil {
		return ""
	}
	return digest
}
