package action

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"runtime"

	"github.com/blq-ci/blq/internal/jobmasks"
	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/internal/redact"
)

// Recall sets the Redactor of the job to a redactor that removes the stored secrets of the job.
func (j *Job) Recall() {
	if state, err := j.folder(); err == nil {
		j.Redactor = j.remember(state, Inputs{}, j.maskKey(false))
	}
}

// remember returns a redactor with the job's secrets. If the redactor later learns more secrets, it stores them for
// later steps, encrypted with the key. Without a key it stores nothing.
func (j *Job) remember(state jobFolder, in Inputs, key []byte) *redact.Redactor {
	r := record.Redactor(in.Redact...)
	if len(in.Token) > 3 { // values of up to three characters do not count as secrets
		r.Add(in.Token)
	}
	if state == "" {
		return r
	}
	_ = os.Unsetenv(jobmasks.KeyVariable) // this fails only for an invalid name
	m, err := jobmasks.Open(state.path("masks"), key)
	if err != nil {
		return r // without the stored values, secrets of other steps are not removed
	}
	j.secrets = m
	r.Add(m.Read()...)
	r.Learned(m.Keep)
	return r
}

// refresh reads the masks of steps that run at the same time.
func (j *Job) refresh() {
	if j.secrets != nil {
		j.Redactor.Add(j.secrets.Read()...)
	}
}

// maskKey returns the key of the job, or nil if the job has no key. If create is true and the job has no key, maskKey
// tries to create a key for this step and all later steps.
func (j *Job) maskKey(create bool) []byte {
	if key := jobmasks.KeyOf(j.Getenv(jobmasks.KeyVariable)); key != nil {
		return key
	}
	if !create || j.Getenv("GITHUB_ENV") == "" {
		return nil
	}
	key := jobmasks.NewKey()
	text := hex.EncodeToString(key)
	fmt.Fprintln(j.Notes, "::add-mask::"+text) // mask the key, because the runner shows the variables of each step
	j.newKey = text
	// PowerShell 5 writes UTF-16, so the file must be empty before the step. On Windows, the key is written afterwards.
	if runtime.GOOS != "windows" && j.fileCommand("GITHUB_ENV", jobmasks.KeyVariable, text) != nil {
		return nil
	}
	return key
}

// keepMaskKey writes the job's new key into the file of $GITHUB_ENV if the file does not contain the key. The step may
// have overwritten the file, as "echo A=b >$GITHUB_ENV" does.
func (j *Job) keepMaskKey() {
	if j.newKey == "" {
		return
	}
	text, err := os.ReadFile(j.Getenv("GITHUB_ENV"))
	if err == nil && bytes.Contains(bytes.ReplaceAll(text, []byte{0}, nil), []byte(j.newKey)) {
		return
	}
	_ = j.fileCommand("GITHUB_ENV", jobmasks.KeyVariable, j.newKey) // without the key, later steps create another one
}

// hider returns a record.Hider that removes secrets from all data before it is sent. It also removes secrets that
// became masks during the step.
func (s *wrapped) hider() record.Hider { return record.Hider{Redactor: s.Redactor, Known: s.known} }
