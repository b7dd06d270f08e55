package project

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Pushed records that a server has a complete run.
type Pushed struct {
	Attempt string    `json:"attempt_id"`
	Ref     string    `json:"run_ref"` // the run's ref on the server
	At      time.Time `json:"at"`
}

// Pushed returns the records of the runs that a server has, by attempt ID. A missing record does no harm, because blq
// then asks the server again.
func (w *Project) Pushed(server string) (map[string]Pushed, error) {
	text, err := os.ReadFile(w.pushedPath(server))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	notes := map[string]Pushed{}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		var p Pushed
		if json.Unmarshal(lines.Bytes(), &p) == nil && p.Attempt != "" { // a line cut by a crash is ignored
			notes[p.Attempt] = p
		}
	}
	return notes, nil
}

// NotePushed records that a server has a complete run. Several processes may append lines at the same time.
func (w *Project) NotePushed(server string, p Pushed) error {
	line, err := json.Marshal(p)
	if err != nil {
		return err
	}
	path := w.pushedPath(server)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write([]byte("\n" + string(line) + "\n")) // begins with a newline in case a crash left half a line
	return errors.Join(err, f.Close())
}

// pushedPath returns the name of a server's file. The name has the host, for people, and a hash of the URL.
func (w *Project) pushedPath(server string) string {
	host := server[strings.Index(server, "://")+1:]
	host = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '_'
	}, strings.ToLower(strings.Trim(host, "/")))
	sum := sha256.Sum256([]byte(server))
	return filepath.Join(w.Dir, "pushed", host[:min(len(host), 60)]+"-"+hex.EncodeToString(sum[:4])+".jsonl")
}
