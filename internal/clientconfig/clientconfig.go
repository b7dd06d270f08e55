// Package clientconfig writes blq's MCP server into the files in which clients
// look for servers, and changes nothing else in them.
package clientconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/blq-ci/blq/store"
)

// File is where a client looks for servers.
type File struct {
	Path    string // relative to the project
	servers string // key that holds the servers
	entry   entry
}

// entry says how a client starts a server.
type entry struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// Files are the files of the clients.
var Files = map[string]File{
	"claude": {".mcp.json", "mcpServers", entry{"", "blq", []string{"mcp", "serve"}}},
	"vscode": {".vscode/mcp.json", "servers", entry{"stdio", "blq", []string{"mcp", "serve"}}},
	"cursor": {".cursor/mcp.json", "mcpServers", entry{"", "blq", []string{"mcp", "serve"}}},
}

// Clients returns the names of the clients, the usual one first.
func Clients() []string { return []string{"claude", "vscode", "cursor"} }

// Outcome says what Install did.
type Outcome int

// The outcomes.
const (
	Same     Outcome = iota // blq is there, nothing was done
	Differs                 // blq is there with other settings, nothing was done
	Created                 // the file is new
	Added                   // blq was added
	Replaced                // blq had other settings
)

// Changed says whether the file was written.
func (o Outcome) Changed() bool { return o >= Created }

// Install writes blq into the file in the current directory. An entry for blq
// with other settings stays unless force is set. Invalid: the file is not what
// the client would understand, and is left as it is.
func (f File) Install(force bool) (Outcome, error) {
	text, err := os.ReadFile(f.Path)
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

// refused says why the file is left as it is, and what to write by hand.
func (f File) refused(err error) error {
	member, _ := json.Marshal(map[string]any{f.servers: map[string]any{"blq": f.entry}}) // plain data
	return store.Hint(store.Errorf(store.Invalid, "%s is left as it is: %w", f.Path, err), "put this into it by hand: %s", member)
}

// write replaces a file whole or not at all. A link stays one.
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
