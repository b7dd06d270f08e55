// Package realms finds the realms of repositories whose facts are in a store. The callers of the service may not see
// all repositories. Package internal/project/realms does the same on one machine. The package may import facts,
// facts/realm, internal/github, internal/hook, internal/wait, query and store.
package realms

import (
	"bytes"
	"context"
	"os"
	"path"
	"strings"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/realm"
	"github.com/blq-ci/blq/store"
)

// Files are the files of a repository that belong to realms.
type Files []realm.File

// Get returns the text of a file, or nil if there is no such file.
func (f Files) Get(path string) []byte {
	for _, one := range f {
		if one.Path == path {
			return one.Text
		}
	}
	return nil
}

// IsRealm reports whether the files belong to a realm's own repository.
func (f Files) IsRealm() bool { return f.Get("realm.yaml") != nil || f.Get("realm.yml") != nil }

// Members returns the files that name the realm and its members: all files outside of domains/.
func (f Files) Members() Files {
	var list Files
	for _, one := range f {
		if !strings.HasPrefix(one.Path, "domains/") {
			list = append(list, one)
		}
	}
	return list
}

// maxBytes is the max number of bytes of files that are read from a repository.
const maxBytes = 64 << 20

// maxKept is the max size in bytes of the files that are kept in parsed form.
const maxKept = 4 << 20

// Read reads the files of a set. A file is empty if it has been removed in the meantime, or if its permissions forbid
// reading. Files that are equal to files of an earlier set are not parsed again.
func Read(ctx context.Context, set facts.Set, earlier ...Files) (Files, error) {
	return (*Memory)(nil).read(ctx, "", set, earlier...)
}

// read is like Read, but takes files of the repository from the memory if the memory has them.
func (m *Memory) read(ctx context.Context, repo string, set facts.Set, earlier ...Files) (Files, error) {
	var sources []facts.File // files that contracts may name
	r := reader{ctx: ctx, set: set, memory: m, repo: repo, earlier: map[string]realm.File{}}
	for _, files := range earlier {
		for _, f := range files {
			r.earlier[f.Path] = f
		}
	}
	for _, f := range set.Files() {
		if ending := path.Ext(f.Path); ending != ".yaml" && ending != ".yml" {
			sources = append(sources, f)
		} else if err := r.add(f); err != nil {
			return r.all, err
		}
	}
	if len(sources) == 0 {
		return r.all, nil
	}
	needed := realm.Sources(r.all)
	for _, f := range sources {
		if !needed(f.Path) { // a contract in the realm's repository may name the file
			r.all = append(r.all, realm.Later(f.Path, func() ([]byte, error) {
				return set.Read(context.WithoutCancel(ctx), f)
			}))
			continue
		}
		if err := r.add(f); err != nil {
			return r.all, err
		}
	}
	return r.all, nil
}

// reader reads files of a set.
type reader struct {
	ctx   context.Context //nolint:containedctx // the context of the call that reads
	set   facts.Set
	all   Files
	bytes int64

	memory  *Memory
	repo    string
	earlier map[string]realm.File // files of earlier sets, by path
}

// add reads a file.
func (r *reader) add(f facts.File) error {
	if r.bytes += f.Size; r.bytes > maxBytes {
		return store.Errorf(store.TooLarge, "the files of the realm have more than %d bytes", maxBytes)
	}
	if kept, known := r.memory.get(r.repo, f); known {
		r.all = append(r.all, kept)
		return nil
	}
	text, err := r.set.Read(r.ctx, f)
	if err != nil && store.CodeOf(err) != store.NotFound && !os.IsNotExist(err) && !os.IsPermission(err) {
		return err
	}
	if err != nil {
		text = nil
	}
	file := realm.File{Path: f.Path, Text: text}
	if was, there := r.earlier[f.Path]; there && bytes.Equal(was.Text, text) {
		file = was
	} else if r.bytes <= maxKept {
		file = realm.Keep(f.Path, text)
	}
	if err == nil {
		r.memory.put(r.repo, f, file)
	}
	r.all = append(r.all, file)
	return nil
}
