package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/ask"
	"github.com/blq-ci/blq/internal/facts"
	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/internal/workspace"
	"github.com/blq-ci/blq/store"
)

// opened is the workspace that the command works on.
type opened struct {
	*workspace.Workspace
	ask *ask.Asker
}

// open opens the .lq folder of the current directory. NotFound: there is none.
func (a *app) open(ctx context.Context) (*opened, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	dir, err := workspace.Find(cwd, a.getenv)
	if err != nil {
		return nil, err
	}
	return a.openDir(ctx, dir)
}

// create opens the .lq folder to record into it, and makes it first where
// there is none.
func (a *app) create(ctx context.Context) (*opened, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	dir := workspace.Place(cwd, a.getenv)
	if _, err := workspace.Create(dir); err != nil {
		return nil, err
	}
	w, err := a.openDir(ctx, dir)
	if err != nil {
		return nil, err
	}
	return w, w.Writable()
}

func (a *app) openDir(ctx context.Context, dir string) (*opened, error) {
	w, err := workspace.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	if a.getenv("BLQ_DIR") != "" {
		if cwd, err := os.Getwd(); err == nil {
			w.SetRoot(workspace.Top(cwd))
		}
	}
	asker := &ask.Asker{Store: w.Store, Blobs: w.Blobs, Scope: store.Everything(), Root: w.Root(), Git: git{}, Ancestry: ancestry{w.Root()}}
	if !w.ReadOnly() {
		asker.Stale = func(ctx context.Context) error { return record.Salvage(ctx, w) }
	}
	a.opened = &opened{w, asker}
	return a.opened, nil
}

// root returns the project's folder, where registered commands run.
func (a *app) root() string {
	if a.opened != nil {
		return a.opened.Root()
	}
	cwd, err := os.Getwd()
	if err != nil {
		return ""
	}
	if a.getenv("BLQ_DIR") != "" {
		return workspace.Top(cwd)
	}
	return filepath.Dir(workspace.Place(cwd, a.getenv))
}

func (a *app) close() {
	if a.opened != nil {
		a.opened.Store.Close()
	}
}

// reply asks the question and shows the answer: as JSON, or by text.
func reply[T any](c *cobra.Command, a *app, asJSON bool, question func(context.Context, *ask.Asker) (T, error), text func(T) error) error {
	w, err := a.open(c.Context())
	if err != nil {
		return err
	}
	answer, err := question(c.Context(), w.ask)
	if err != nil {
		return err
	}
	if asJSON {
		return a.json(answer)
	}
	return text(answer)
}

// json writes an answer as the contract has it.
func (a *app) json(v any) error {
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// git tells ask the history of files.
type git struct{}

func (git) Blame(ctx context.Context, root, file string, line int) (ask.Blame, error) {
	b, err := facts.Blame(ctx, root, file, line)
	return ask.Blame{Author: b.Author, Commit: b.Commit, Time: b.Time}, err
}

func (git) RecentCommits(ctx context.Context, root, file string, n int) ([]ask.Commit, error) {
	commits, err := facts.RecentCommits(ctx, root, file, n)
	list := make([]ask.Commit, len(commits))
	for i, c := range commits {
		list[i] = ask.Commit{Hash: c.Hash, Author: c.Author, Message: c.Message}
	}
	return list, err
}

// ancestry tells how the commits of the work tree at root hang together.
type ancestry struct{ root string }

func (a ancestry) DefaultBranch(ctx context.Context, _ string) (string, error) {
	return facts.DefaultBranch(ctx, a.root), nil
}

func (a ancestry) Ancestors(ctx context.Context, _, commit, base string, n int) ([]string, error) {
	return facts.Ancestors(ctx, a.root, commit, base, n)
}
