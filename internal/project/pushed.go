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

// Pushed is the note that a server has all of a run.
type Pushed struct {
	Attempt string    `json:"attempt_id"`
	Ref     string    `json:"run_ref"` // there
	At      time.Time `json:"at"`
}

// Pushed returns the notes of the runs that a server has, by attempt. A note
// that is lost costs one question to the server, no more.
func (w *Project) Pushed(server string) (map[string]Pushed, error) {
	text, err := os.ReadFile(w.pushedPath(server))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	notes := map[string]Pushed{}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		var p Pushed
		if json.Unmarshal(lines.Bytes(), &p) == nil && p.Attempt != "" { // else it was cut by a crash
			notes[p.Attempt] = p
		}
	}
	return notes, nil
}

// NotePushed notes that a server has all of a run. Many processes may do so at
// once: each adds its line.
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
	_, err = f.Write([]byte("\n" + string(line) + "\n")) // whatever a crash has left before it
	return errors.Join(err, f.Close())
}

// pushedPath names the file of a server: its host, for people, and a hash.
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
