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
	"runtime"
	"sync"

	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/internal/redact"
	"github.com/blq-ci/blq/store"
)

// If a value is secret in one step of a job, the runner hides it in all later steps. So does blq. Secret values are the
// masks of a step, and the values of the step's secret variables. Each step is a process of its own, so the values are
// stored in files.
//
// The files are encrypted with AES-256-GCM. The key is only in the environment of the job. So nobody can read the files
// if they get into an artifact or stay on the disk of a runner. Hashes cannot replace the encryption. Short values can
// be guessed from their hashes, and blq finds encoded forms of a value only if it knows the value. Somebody who can
// read the environment of a job knows the job's secrets in any case.

// maskKeyVariable is the variable with the key of the files, in hexadecimal. The commands of steps do not get this
// variable.
const maskKeyVariable = "BLQ_MASK_KEY"

// maxMasks is the max number of bytes that are read from one file of secret values.
const maxMasks = 16 << 20

// masks stores the secret values of a job.
type masks struct {
	dir  string
	seal cipher.AEAD

	mu    sync.Mutex
	file  *os.File
	known map[string]bool // values that are in the files
}

// Recall sets the Redactor of the job to a redactor that removes the stored secrets of the job.
func (j *Job) Recall() {
	if state, err := j.folder(); err == nil {
		j.Redactor = j.remember(state, Inputs{}, false)
	}
}

// remember returns a redactor with the job's secrets. If the redactor later learns more secrets, it stores them for
// later steps. The first step creates the key.
func (j *Job) remember(state jobFolder, in Inputs, step bool) *redact.Redactor {
	r := record.Redactor(in.Redact...)
	if len(in.Token) > 3 { // values of up to three characters do not count as secrets
		r.Add(in.Token)
	}
	if state == "" {
		return r
	}
	key := j.maskKey(step)
	_ = os.Unsetenv(maskKeyVariable) // this fails only for an invalid name
	m, err := openMasks(state.path("masks"), key)
	if err != nil {
		return r // without the stored values, secrets of other steps are not removed
	}
	j.secrets = m
	r.Add(m.read()...)
	r.Learned(m.keep)
	return r
}

// refresh reads the masks of steps that run at the same time.
func (j *Job) refresh() {
	if j.secrets != nil {
		j.Redactor.Add(j.secrets.read()...)
	}
}

// maskKey returns the key of the job, or nil if the job has no key. If create is true and the job has no key, maskKey
// tries to create a key for this step and all later steps.
func (j *Job) maskKey(create bool) []byte {
	if key, err := hex.DecodeString(j.Getenv(maskKeyVariable)); err == nil && len(key) == 32 {
		return key
	}
	key := make([]byte, 32)
	_, _ = rand.Read(key) // Read never fails
	text := hex.EncodeToString(key)
	if !create || j.Getenv("GITHUB_ENV") == "" {
		return nil
	}
	fmt.Fprintln(j.Notes, "::add-mask::"+text) // mask the key, because the runner shows the variables of each step
	j.newKey = text
	// PowerShell 5 can write its UTF-16 only into an empty file. So on Windows the key is written after the step.
	if runtime.GOOS != "windows" && j.fileCommand("GITHUB_ENV", maskKeyVariable, text) != nil {
		return nil
	}
	return key
}

// keepMaskKey writes a new key again if the step has overwritten it, as "echo A=b >$GITHUB_ENV" does.
func (j *Job) keepMaskKey() {
	if j.newKey == "" {
		return
	}
	text, err := os.ReadFile(j.Getenv("GITHUB_ENV"))
	if err == nil && bytes.Contains(bytes.ReplaceAll(text, []byte{0}, nil), []byte(j.newKey)) {
		return
	}
	_ = j.fileCommand("GITHUB_ENV", maskKeyVariable, j.newKey) // without the key, later steps create another one
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

// sealed encrypts a text with the key of the job. Without a key it returns the text unchanged.
func sealed(key, text []byte) []byte {
	seal, err := newSeal(key)
	if err != nil {
		return text
	}
	nonce := make([]byte, seal.NonceSize())
	_, _ = rand.Read(nonce) // Read never fails
	return seal.Seal(nonce, nonce, text, nil)
}

// unsealed is the inverse of sealed: it returns the text that sealed encrypted. If it cannot decrypt a text, it
// returns this text unchanged, because the text was stored without a key.
func unsealed(key, text []byte) []byte {
	seal, err := newSeal(key)
	if err != nil || len(text) < seal.NonceSize() {
		return text
	}
	if plain, err := seal.Open(nil, text[:seal.NonceSize()], text[seal.NonceSize():], nil); err == nil {
		return plain
	}
	return text // the text was stored without a key
}

// keep stores values in the file of this process.
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
		if m.file, err = os.CreateTemp(m.dir, "values-*"); err != nil { // only the owner may read the file
			return
		}
	}
	nonce := make([]byte, m.seal.NonceSize())
	_, _ = rand.Read(nonce) // Read never fails
	sealed := m.seal.Seal(nonce, nonce, text, nil)
	// one write for all values; if it fails, later steps know fewer secrets
	_, _ = m.file.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(sealed))), sealed...))
}

// read returns the values in all files of this job.
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

// open decrypts the content of a file. It skips values that were encrypted with another key, and values that were not
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

// hider returns a record.Hider that removes secrets from all data before it is sent. It also removes secrets that
// became masks during the step.
func (s *wrapped) hider() record.Hider { return record.Hider{Redactor: s.Redactor, Known: s.known} }
