package code

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/blq-ci/blq/facts"
)

// File is a source file of an index.
type File struct {
	facts.File
	Language Language
	Scan
}

// Index has the symbols and imports of the source files of a set. An Index does not change after it was built.
type Index struct {
	set   string // the digest of the set
	files []File // sorted by path
}

// Files returns the files, sorted by path. The caller must not change them.
func (x *Index) Files() []File { return x.files }

// File returns the file with a path, or nil if there is none.
func (x *Index) File(path string) *File {
	i, found := slices.BinarySearchFunc(x.files, path, func(f File, path string) int { return cmp.Compare(f.Path, path) })
	if !found {
		return nil
	}
	return &x.files[i]
}

// Build returns the index of a set. Build reads only files that an earlier index lacks, and files that configure
// imports, such as go.mod. The earlier index may be nil. The result does not depend on the earlier index.
func Build(ctx context.Context, set facts.Set, before *Index) (*Index, error) {
	x := &Index{set: set.Digest()}
	known := map[string]*File{} // files of the earlier index, by language and digest
	if before != nil {
		for i := range before.files {
			f := &before.files[i]
			known[string(f.Language)+f.Digest] = f
		}
	}
	var setups []facts.File
	var missing []int
	for _, f := range set.Files() {
		if isSetup(f.Path) {
			setups = append(setups, f)
		}
		language := languageOf(f.Path)
		if language == "" {
			continue
		}
		file := File{File: f, Language: language}
		if old := known[string(language)+f.Digest]; old != nil && (language != C || sameEnding(old.Path, f.Path)) {
			file.Scan = old.copied()
		} else {
			missing = append(missing, len(x.files))
		}
		x.files = append(x.files, file)
	}
	if err := x.scan(ctx, set, missing); err != nil {
		return nil, err
	}
	texts := map[string][]byte{}
	for _, f := range setups {
		text, err := set.Read(ctx, f)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", f.Path, err)
		}
		texts[f.Path] = text
	}
	newResolver(x.files, texts).all()
	return x, nil
}

// sameEnding reports whether two paths end with the same byte. It distinguishes .c from .h, because these are read in
// different ways.
func sameEnding(a, b string) bool { return a[len(a)-1] == b[len(b)-1] }

// copied returns a copy of a scan, without the imports that an index added. The other imports have no targets yet.
func (s *Scan) copied() Scan {
	c := *s
	c.Imports, c.mentioned = slices.Clone(s.Imports[:len(s.Imports)-s.mentioned]), 0
	for i := range c.Imports {
		c.Imports[i].Targets = nil
	}
	return c
}

// scan reads the files at the given positions.
func (x *Index) scan(ctx context.Context, set facts.Set, missing []int) error {
	type job struct {
		at   int
		text []byte
	}
	jobs := make(chan job)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(missing)) {
		workers.Go(func() {
			for j := range jobs {
				x.files[j.at].Scan, _ = ScanFile(x.files[j.at].Path, j.text)
			}
		})
	}
	var err error
	for _, i := range missing {
		var text []byte
		if err = ctx.Err(); err != nil {
			break
		}
		if text, err = set.Read(ctx, x.files[i].File); err != nil {
			err = fmt.Errorf("read %s: %w", x.files[i].Path, err)
			break
		}
		jobs <- job{i, text}
	}
	close(jobs)
	workers.Wait()
	return err
}

// Set returns the digest of the indexed set.
func (x *Index) Set() string { return x.set }
