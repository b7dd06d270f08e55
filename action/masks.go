package action

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/internal/redact"
	"github.com/blq-ci/blq/store"
)

// What is secret in one step of a job is secret in all later ones, as for the runner: what a step
// masks, and the values of its variables. Each step is a process of its own, so the values are kept
// in files, for their forms to be searched for. They are encrypted with AES-256-GCM. The key is in
// the job's environment alone: somebody who finds the files, in an artifact or on the disk of a runner, cannot read
// them. Hashes would not do: a PIN or a word is guessed from its hash, and encodings of a value could not be found.
// Somebody who can read the environment of the job's steps has their secrets anyway.

// maskKeyVariable holds the key of the files, in hexadecimal digits. Steps do not see it.
const maskKeyVariable = "BLQ_MASK_KEY"

// maxMasks is the max number of bytes that are read of a file of values.
const maxMasks = 16 << 20

// masks are the values that are secret in a job.
type masks struct {
	dir  string
	seal cipher.AEAD

	mu    sync.Mutex
	file  *os.File
	known map[string]bool // what is in the files
}

// Recall makes the job's Redactor hide what is secret in the job.
func (j *Job) Recall() {
	if state, err := j.folder(); err == nil {
		j.Redactor = j.remember(state, Inputs{}, false)
	}
}

// remember returns a redactor of the secrets in the job, and keeps the ones that it learns for later steps. The first
// step makes the key for that.
func (j *Job) remember(state jobFolder, in Inputs, step bool) *redact.Redactor {
	r := record.Redactor(in.Redact...)
	if len(in.Token) > 3 { // shorter ones are not secret
		r.Add(in.Token)
	}
	if state == "" {
		return r
	}
	key := j.maskKey(step)
	_ = os.Unsetenv(maskKeyVariable) // it fails for no such name
	m, err := openMasks(state.path("masks"), key)
	if err != nil {
		return r // secrets of other steps stay in what this one prints
	}
	j.secrets = m
	r.Add(m.read()...)
	r.Learned(m.keep)
	return r
}

// refresh learns what steps that run at the same time have masked.
func (j *Job) refresh() {
	if j.secrets != nil {
		j.Redactor.Add(j.secrets.read()...)
	}
}

// maskKey returns the key of the job, nil for none. It makes one for all later steps, if there is
// none and that is possible.
func (j *Job) maskKey(create bool) []byte {
	if key, err := hex.DecodeString(j.Getenv(maskKeyVariable)); err == nil && len(key) == 32 {
		return key
	}
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	text := hex.EncodeToString(key)
	if !create || j.Getenv("GITHUB_ENV") == "" {
		return nil
	}
	fmt.Fprintln(j.Notes, "::add-mask::"+text) // the runner shows the variables of each step
	if err := j.fileCommand("GITHUB_ENV", maskKeyVariable, text); err != nil {
		return nil
	}
	return key
}

func openMasks(dir string, key []byte) (*masks, error) {
	if key == nil {
		return nil, store.Errorf(store.Unavailable, "%s is not set", maskKeyVariable)
	}
	seal, err := newSeal(key)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return &masks{dir: dir, seal: seal, known: map[string]bool{}}, nil
}

func newSeal(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// sealed encrypts a text with the key of the job. Without a key it returns the text.
func sealed(key, text []byte) []byte {
	seal, err := newSeal(key)
	if err != nil {
		return text
	}
	nonce := make([]byte, seal.NonceSize())
	_, _ = rand.Read(nonce) // never fails
	return seal.Seal(nonce, nonce, text, nil)
}

// unsealed returns the text that sealed got.
func unsealed(key, text []byte) []byte {
	seal, err := newSeal(key)
	if err != nil || len(text) < seal.NonceSize() {
		return text
	}
	if plain, err := seal.Open(nil, text[:seal.NonceSize()], text[seal.NonceSize():], nil); err == nil {
		return plain
	}
	return text // it was kept without a key
}

// keep adds values to this process's file.
func (m *masks) keep(values []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var fresh []string
	for _, v := range values {
		if !m.known[v] {
			m.known[v] = true
			fresh = append(fresh, v)
		}
	}
	text, err := json.Marshal(fresh)
	if err != nil || len(fresh) == 0 {
		return
	}
	if m.file == nil {
		if m.file, err = os.CreateTemp(m.dir, "values-*"); err != nil { // only its owner may read it
			return
		}
	}
	nonce := make([]byte, m.seal.NonceSize())
	_, _ = rand.Read(nonce) // never fails
	sealed := m.seal.Seal(nonce, nonce, text, nil)
	// in one piece; without it later steps know less
	_, _ = m.file.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(sealed))), sealed...))
}

// read returns the values in all files that this job wrote.
func (m *masks) read() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []string
	files, _ := filepath.Glob(filepath.Join(m.dir, "values-*"))
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil || len(text) > maxMasks {
			continue
		}
		for _, v := range m.open(text) {
			if !m.known[v] {
				m.known[v] = true
				list = append(list, v)
			}
		}
	}
	return list
}

// open decrypts the content of a file. It leaves out values that another key has sealed, and values that are not
// written completely.
func (m *masks) open(text []byte) []string {
	var list []string
	for len(text) > 4 {
		n := int(binary.BigEndian.Uint32(text))
		if text = text[4:]; n > len(text) || n < m.seal.NonceSize() {
			break
		}
		nonce, sealed := text[:m.seal.NonceSize()], text[m.seal.NonceSize():n]
		var values []string
		if plain, err := m.seal.Open(nil, nonce, sealed, nil); err == nil &&
			json.NewDecoder(bytes.NewReader(plain)).Decode(&values) == nil {
			list = append(list, values...)
		}
		text = text[n:]
	}
	return list
}

// hider removes secrets from what is sent, also those that were masked after the step began.
func (s *wrapped) hider() record.Hider { return record.Hider{Redactor: s.Redactor, Known: s.known} }
