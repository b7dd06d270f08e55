// Package clientconfig adds blq's MCP server to the configuration files of MCP clients. It changes nothing else in
// the files.
package clientconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/blq-ci/blq/internal/regularfile"
	"github.com/blq-ci/blq/store"
)

// File is the configuration file of an MCP client.
type File struct {
	Path    string // relative to the project
	servers string // key with the servers as its value
	entry   entry
}

// entry is the configuration that starts blq.
type entry struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// Files are the configuration files by client.
var Files = map[string]File{
	"claude": {".mcp.json", "mcpServers", entry{"", "blq", []string{"mcp", "serve"}}},
	"vscode": {".vscode/mcp.json", "servers", entry{"stdio", "blq", []string{"mcp", "serve"}}},
	"cursor": {".cursor/mcp.json", "mcpServers", entry{"", "blq", []string{"mcp", "serve"}}},
}

// Clients returns the names of the clients. The default client is first.
func Clients() []string { return []string{"claude", "vscode", "cursor"} }

// Outcome is the result of Install.
type Outcome int

// These are the outcomes of adding blq to the settings file of an MCP client.
const (
	Same     Outcome = iota // the file has blq with these settings; nothing was written
	Differs                 // the file has blq with other settings; nothing was written
	Created                 // the file was created
	Added                   // blq was added to the file
	Replaced                // blq's other settings were replaced
)

// Changed reports whether the file was written.
func (o Outcome) Changed() bool { return o >= Created }

// Install adds blq to the client's file in the current directory. Without force it keeps an existing entry for blq.
// Errors: invalid when the client would not understand the file; then the file stays unchanged.
func (f File) Install(force bool) (Outcome, error) {
	text, err := regularfile.ReadFile(f.Path)
	created := errors.Is(err, fs.ErrNotExist)
	if err != nil && !created {
		return Same, fmt.Errorf("read the client's file: %w", err)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	changed, outcome, err := f.add(text, force)
	if err != nil {
		return Same, f.refused(err)
	}
	if !outcome.Changed() {
		return outcome, nil
	}
	if created {
		outcome = Created
	}
	return outcome, write(f.Path, changed)
}

// refused returns an error that says why the file was not changed, and what to add by hand.
func (f File) refused(err error) error {
	member, _ := json.Marshal(map[string]any{f.servers: map[string]any{"blq": f.entry}}) // cannot fail: plain data
	return store.Hint(store.Errorf(store.Invalid, "%s is left as it is: %w", f.Path, err),
		"put this into it by hand: %s", member)
}

// write replaces the whole file atomically. It follows a symbolic link.
func write(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	temp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.new")
	if err != nil {
		return err
	}
	_, err = temp.Write(text)
	err = errors.Join(err, temp.Chmod(mode), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return nil
}
