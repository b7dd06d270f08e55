// Package project finds and opens a project's .lq folder. The folder has the database, the logs, the configuration
// with its registered commands, and the locks of running runs.
package project

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/blob"
	"github.com/blq-ci/blq/store/sqlite"
)

// DirName is the name of the folder for all of blq's data about a project.
const DirName = ".lq"

// Project is an open .lq folder.
type Project struct {
	Dir    string // absolute path of the .lq folder
	Config *Config
	root   string
	Store  store.Store
	Blobs  store.Blobs
}

// Find returns the .lq folder for a directory. If BLQ_DIR is set, it is that folder. Otherwise Find goes up from the
// directory to the nearest .lq folder. At the top of a git work tree, it first tries the .lq folder of the main work
// tree. Errors: not_found when the folder does not exist. If BLQ_DIR is set, the path is returned together with this
// error.
func Find(from string, getenv func(string) string) (string, error) {
	if dir := getenv("BLQ_DIR"); dir != "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return "", err
		}
		if _, err := os.Stat(abs); err == nil && !isDir(abs) {
			return abs, store.Next(store.Errorf(store.NotFound, "BLQ_DIR names %s, which is not a folder", abs),
				store.Shell{Line: "unset BLQ_DIR"})
		}
		if !isDir(abs) {
			return abs,
				store.Next(store.Errorf(store.NotFound, "BLQ_DIR names %s, which is not a folder", abs),
					store.NewCall("init", ""))
		}
		return abs, nil
	}
	if dir, _, ok := locate(from); ok {
		return dir, nil
	}
	return "",
		store.Next(store.Errorf(store.NotFound, "no %s folder here or above: nothing has been recorded yet", DirName),
			store.NewCall("exec", "", "command", "make"))
}

// Place returns the path of a directory's .lq folder. The folder may not exist yet. The path is BLQ_DIR if that
// variable is set, or else the folder that Find finds. If Find finds none, it is a new folder at the top of the main
// work tree, or outside of git in the directory itself.
func Place(from string, getenv func(string) string) string {
	dir, err := Find(from, getenv)
	if err == nil || dir != "" {
		return dir
	}
	top := Top(from)
	if !isGitTop(top) {
		return filepath.Join(top, DirName)
	}
	return sharedFolders(top)[0]
}

// Root returns the base directory for the runs of a directory. Registered commands run in the base directory, and
// paths in runs are relative to it. The base directory is the directory of the .lq folder. But it is the top of the git
// work tree if the work trees of the repository share the folder, if BLQ_DIR is set, or if there is no .lq folder.
func Root(from string, getenv func(string) string) string {
	if getenv("BLQ_DIR") == "" {
		if _, root, ok := locate(from); ok {
			return root
		}
	}
	return Top(from)
}

// Top returns the top of the git work tree that contains a directory. Outside of git it returns the directory itself.
func Top(from string) string {
	for d := from; ; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, ".git")); err == nil {
			return d
		}
		if d == filepath.Dir(d) {
			return from
		}
	}
}

const ignoreAll = `# Nothing here is for git. To share the registered commands:
# git add -f .lq/config.toml
*
`

// Create creates a missing .lq folder, and reports whether the folder was missing. The folder has a .gitignore that
// keeps the folder out of git.
func Create(dir string) (bool, error) {
	if isDir(dir) {
		return false, nil
	}
	return true, fill(dir)
}

// fill creates the missing files of a .lq folder.
func fill(dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, "live"), 0o755); err != nil {
		return unwritable(dir, err)
	}
	files := map[string]string{".gitignore": ignoreAll, ConfigName: defaultConfig}
	for name, text := range files {
		if err := writeNew(filepath.Join(dir, name), text); err != nil {
			return unwritable(dir, err)
		}
	}
	return nil
}

func writeNew(path, text string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := f.WriteString(text); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

func unwritable(dir string, err error) error {
	return store.Next(store.Errorf(store.Unavailable, "cannot write %s: %w", dir, err),
		store.Shell{Line: `export BLQ_DIR="$(mktemp -d)"`, Why: "records there instead, in this shell"})
}

// Open opens the store of an existing .lq folder.
func Open(ctx context.Context, dir string) (*Project, error) { return open(ctx, dir, sqlite.Open) }

// OpenToRead is like Open, for a process that mostly reads (see sqlite.OpenToRead).
func OpenToRead(ctx context.Context, dir string) (*Project, error) {
	return open(ctx, dir, sqlite.OpenToRead)
}

func open(ctx context.Context, dir string, openStore func(context.Context, string) (*sqlite.Store, error)) (
	*Project, error) {
	config, err := ReadConfig(filepath.Join(dir, ConfigName))
	if err != nil {
		return nil, err
	}
	st, err := openStore(ctx, filepath.Join(dir, "blq.db"))
	if err != nil {
		return nil, err
	}
	blobs, err := blob.Open(ctx, "file://"+filepath.ToSlash(filepath.Join(dir, "blobs")))
	if err != nil {
		_ = st.Close() // the first error is more important
		return nil, err
	}
	return &Project{Dir: dir, Config: config, root: filepath.Dir(dir), Store: st, Blobs: blobs}, nil
}

// ReadOnly reports whether the .lq folder is read-only. Its runs can be read, but no runs can be recorded.
func (w *Project) ReadOnly() bool {
	s, ok := w.Store.(interface{ ReadOnly() bool })
	return ok && s.ReadOnly()
}

// Writable returns nil if runs can be recorded. The error is Unavailable for a read-only folder.
func (w *Project) Writable() error {
	if w.ReadOnly() {
		return unwritable(w.Dir, fs.ErrPermission)
	}
	return nil
}

// Root returns the project's directory. This is the parent of the .lq folder, or the directory from SetRoot.
func (w *Project) Root() string { return w.root }

// SetRoot sets the project's directory, for a .lq folder in another place.
func (w *Project) SetRoot(dir string) { w.root = dir }

// FactsCache returns the path of the file with the cached digests of facts.
func (w *Project) FactsCache() string { return filepath.Join(w.Dir, "facts", "digests") }

// Close closes the store.
func (w *Project) Close() error { return w.Store.Close() }

// Leave closes the store in a process that ends now.
func (w *Project) Leave() error {
	if s, ok := w.Store.(interface{ Leave() error }); ok {
		return s.Leave()
	}
	return w.Close()
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
