// Package jobmasks stores the secret values of a job of GitHub Actions for the later steps of the job. If a value is
// secret in one step of a job, the runner hides it in all later steps. So does blq. Secret values are the masks of a
// step, and the values of the step's secret variables. Each step is a process of its own, so the values are stored in
// files. The package imports only internal/glob and the standard library.
//
// The files are encrypted with AES-256-GCM. The key is only in the environment of the job. So nobody can read the files
// if they get into an artifact or stay on the disk of a runner. Hashes cannot replace the encryption. Short values can
// be guessed from their hashes, and blq finds encoded forms of a value only if it knows the value. Somebody who can
// read the environment of a job knows the job's secrets in any case.
package jobmasks

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"

	"github.com/blq-ci/blq/internal/glob"
)

// KeyVariable is the variable with the key of the files, in hexadecimal. blq does not pass this variable to the
// commands that it runs.
const KeyVariable = "BLQ_MASK_KEY"

// maxFile is the max size in bytes of a file of secret values. Read skips larger files.
const maxFile = 16 << 20

// Masks stores the secret values of a job.
type Masks struct {
	dir  string
	seal cipher.AEAD

	mu    sync.Mutex
	file  *os.File
	known map[string]bool // values that are in the files
}

// NewKey returns a new random key.
func NewKey() []byte {
	key := make([]byte, keyLength)
	_, _ = rand.Read(key) // Read never fails
	return key
}

const keyLength = 32

// KeyOf returns the key that a value of KeyVariable encodes, or nil if the value is not a key.
func KeyOf(text string) []byte {
	if key, err := hex.DecodeString(text); err == nil && len(key) == keyLength {
		return key
	}
	return nil
}

// OfJob returns the secret values that are stored for the job of this process. There are none outside of a job. The
// command of a step has no key, so OfJob looks for the key in the processes that started the command.
func OfJob() []string {
	temp := os.Getenv("RUNNER_TEMP")
	if temp == "" || os.Getenv("GITHUB_ACTIONS") == "" {
		return nil
	}
	m := &Masks{dir: filepath.Join(temp, "blq", "masks"), known: map[string]bool{}}
	if len(m.files()) == 0 {
		return nil
	}
	key := KeyOf(os.Getenv(KeyVariable))
	if key == nil {
		key = inheritedKey()
	}
	seal, err := newSeal(key)
	if err != nil {
		return nil // without the stored values, secrets of other steps are not removed
	}
	m.seal = seal
	return m.Read()
}

// Open opens the stored values of a job. It creates their folder if the folder is missing. It fails without a key.
func Open(dir string, key []byte) (*Masks, error) {
	seal, err := newSeal(key)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return &Masks{dir: dir, seal: seal, known: map[string]bool{}}, nil
}

func newSeal(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// Sealed encrypts a text with the key of the job. Without a key it returns the text unchanged.
func Sealed(key, text []byte) []byte {
	seal, err := newSeal(key)
	if err != nil {
		return text
	}
	nonce := make([]byte, seal.NonceSize())
	_, _ = rand.Read(nonce) // Read never fails
	return seal.Seal(nonce, nonce, text, nil)
}

// Unsealed is the inverse of Sealed: it returns the text that Sealed encrypted. If it cannot decrypt a text, it
// returns this text unchanged, because the text may have been stored without a key.
func Unsealed(key, text []byte) []byte {
	seal, err := newSeal(key)
	if err != nil || len(text) < seal.NonceSize() {
		return text
	}
	if plain, err := seal.Open(nil, text[:seal.NonceSize()], text[seal.NonceSize():], nil); err == nil {
		return plain
	}
	return text // the text may have been stored without a key
}

// Keep stores values in the file of this process.
func (m *Masks) Keep(values []string) {
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
	// All values are written at once. If the write fails, later steps know fewer secrets.
	_, _ = m.file.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(sealed))), sealed...))
}

// Read returns the values in all files of this job, except those that Keep or Read have already handled.
func (m *Masks) Read() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []string
	for _, name := range m.files() {
		text, err := os.ReadFile(name)
		if err != nil || len(text) > maxFile {
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

// files returns the names of all files of this job.
func (m *Masks) files() []string { return glob.In(m.dir, "values-*") }

// open decrypts the content of a file. It skips values that were encrypted with another key, and values that were not
// written completely.
func (m *Masks) open(text []byte) []string {
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
