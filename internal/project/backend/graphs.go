package backend

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/graph"
	"github.com/blq-ci/blq/internal/architecture"
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/store"
)

// maxGraphs is the max number of bytes of graphs that a process keeps in memory.
const maxGraphs = 256 << 20

// localGraphs builds the graphs of a project. The index of the project's source files is kept in the .lq folder.
type localGraphs struct{ b *Backend }

// Graph implements query.Graphs.
func (l localGraphs) Graph(ctx context.Context, repo string, declared, sources, documents facts.Set) (
	*graph.Snapshot, error) {
	f, err := l.b.hold(ctx)
	if err != nil {
		return nil, err
	}
	defer l.b.release(f)
	file := ""
	if f.standIn == "" {
		file = codeFile(f.Project)
	}
	return l.b.graphs.Graph(ctx, file, repo, architecture.Facts{Declared: declared, Sources: sources, Docs: documents})
}

// openedGraphs builds graphs for an open project.
type openedGraphs struct {
	w     *project.Project
	cache *architecture.Cache
}

// Graph implements query.Graphs.
func (o openedGraphs) Graph(ctx context.Context, repo string, declared, sources, documents facts.Set) (
	*graph.Snapshot, error) {
	return o.cache.Graph(ctx, codeFile(o.w), repo,
		architecture.Facts{Declared: declared, Sources: sources, Docs: documents})
}

// codeFile returns the file for the index of a project's source files, or "" if the project is read-only.
func codeFile(w *project.Project) string {
	if w.ReadOnly() {
		return ""
	}
	return filepath.Join(filepath.Dir(w.FactsCache()), "code")
}

// ReplaceFile replaces the text of a file, for query.UpdateNode. The error is Conflict if the file does not have the
// old text, or if the file is a link.
func (l localGraphs) ReplaceFile(_ context.Context, path string, old, text []byte) error {
	return replaceFile(Root(l.b.dir, l.b.getenv), path, old, text)
}

// ReplaceFile replaces the text of a file, for query.UpdateNode. The error is Conflict if the file does not have the
// old text, or if the file is a link.
func (o openedGraphs) ReplaceFile(_ context.Context, path string, old, text []byte) error {
	return replaceFile(o.w.Root(), path, old, text)
}

// replaceFile atomically replaces a file of a project, provided that the file has the old text. It refuses a file that
// is a link, and a path that leads out of the project through a link.
func replaceFile(dir, path string, old, text []byte) error {
	top, err := os.OpenRoot(project.Top(dir))
	if err != nil {
		return fmt.Errorf("change the graph: %w", err)
	}
	defer func() { _ = top.Close() }() // the directory is only read, so Close cannot lose data
	name := filepath.FromSlash(path)
	now, err := top.ReadFile(name)
	if err != nil {
		return fmt.Errorf("change the graph: %w", err)
	}
	info, err := top.Lstat(name)
	if err != nil || !bytes.Equal(now, old) || !info.Mode().IsRegular() {
		return store.Hint(store.Errorf(store.Conflict, "%s has just changed, or is not a file of its own", path),
			"try again")
	}
	other := filepath.Join(filepath.Dir(name), ".tmp-"+rand.Text())
	f, err := top.OpenFile(other, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("change the graph: %w", err)
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(info.Mode().Perm()), f.Close())
	if err == nil {
		err = top.Rename(other, name)
	}
	if err != nil {
		_ = top.Remove(other) // the old file is still in place
		return fmt.Errorf("change the graph: %w", err)
	}
	return nil
}
