// Package action runs blq inside a job of GitHub Actions. It runs the command of a step, and sends the run to the
// server. It reports the result in annotations, in the job's summary and in outputs. The command behaves as it does
// without blq. If blq itself has problems, one warning lists all of them. The package may import the same packages as
// the command line.
package action

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/blq-ci/blq/internal/ci"
	"github.com/blq-ci/blq/internal/jobmasks"
	"github.com/blq-ci/blq/internal/redact"
	"github.com/blq-ci/blq/store"
)

// Job is the GitHub Actions job to which a step belongs.
type Job struct {
	Getenv  func(string) string
	Notes   io.Writer // receives workflow commands and blq's own messages, but not the step's output
	Version string    // version of blq
	// Redactor removes secrets from everything that leaves the job. It may be nil.
	Redactor *redact.Redactor
	secrets  *jobmasks.Masks // stored secrets of the job, nil if no file can store them
	newKey   string          // key that this step created for the job, "" if it created none
}

// These are environment variables of the job that blq sets or reads.
const (
	serverVariable   = "BLQ_SERVER"
	tokenVariable    = "BLQ_TOKEN"
	audienceVariable = "BLQ_AUDIENCE"
	nameVariable     = "BLQ_NAME" // name for the runs of a step
)

// jobFolder is the folder that the steps of a job share:
//
//	store/               recorded runs, like a .lq folder (BLQ_DIR for later steps)
//	artifacts/ATTEMPT/   run.json, events.ndjson, log.zst, report.html of runs that could not be sent
//	hidden/ATTEMPT       number of secrets that were known when the artifact was written
//	clean                number of secrets that were removed from all recorded runs
//	owed/ATTEMPT.json    a run that still has to be sent, and the server that should get it
//	unreachable          URL of a server that did not answer in time
//	facts                URL of a server, and the commit whose facts this server already has
//	checked              the commit whose rules and documents were checked
//	settings.json        the inputs of action/setup, for blq shell
//	job.json             facts of the job that only the workflow knows
//	job                  an ID of this execution of the job
//	uses/                a file for each step that has run, to number steps with the same ID
//	masks/               secrets of the job, encrypted
//	bin/                 blq
//
// Steps may run at the same time. So each file is named after an attempt, or is safe for concurrent use. The runner
// empties the parent folder after each job.
type jobFolder string

// folder returns the job's folder, which it creates if necessary. The error is Unavailable if RUNNER_TEMP is not set.
func (j *Job) folder() (jobFolder, error) {
	temp := j.Getenv("RUNNER_TEMP")
	if temp == "" {
		return "", store.Errorf(store.Unavailable, "RUNNER_TEMP is not set")
	}
	dir := filepath.Join(temp, "blq")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	return jobFolder(dir), nil
}

func (s jobFolder) path(elem ...string) string {
	return filepath.Join(append([]string{string(s)}, elem...)...)
}

// jobRun returns an ID of this execution of the job. All steps of the job get the same ID. It returns "" if it
// cannot store the ID.
func (s jobFolder) jobRun() string {
	file := s.path("job")
	if text, err := os.ReadFile(file); err == nil {
		return string(text)
	}
	made := s.path("job-" + rand.Text())
	if err := os.WriteFile(made, []byte(rand.Text()), 0o644); err != nil {
		return ""
	}
	defer os.Remove(made)
	_ = os.Link(made, file) // this fails if another step made the ID at the same moment
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	return string(text)
}

// use returns the position of a step in its job: the step's ID, with a number if an earlier step had the same ID. Steps
// have the same ID if a job uses a composite action twice.
func (s *wrapped) use() string {
	id := ci.Step(s.Getenv)
	if id == "" || os.MkdirAll(s.state.path("uses"), 0o755) != nil {
		return id
	}
	job := strings.Join([]string{s.Getenv("GITHUB_RUN_ID"), s.Getenv("GITHUB_RUN_ATTEMPT"), s.Getenv("GITHUB_JOB"), id},
		"\x00")
	const maxUses = 1000
	for n := 1; n <= maxUses; n++ {
		file := s.state.path("uses", fmt.Sprintf("%x-%d", sha256.Sum256([]byte(job)), n))
		f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		switch {
		case errors.Is(err, fs.ErrExist):
			continue
		case err != nil:
			return id
		}
		f.Close()
		if n > 1 {
			return fmt.Sprintf("%s#%d", id, n)
		}
		break
	}
	return id
}

// store returns the path of the job's .lq folder.
func (s jobFolder) store() string { return s.path("store") }

// artifacts returns the path of the folder for runs that could not be sent. Each of these runs has its own subfolder.
func (s jobFolder) artifacts() string { return s.path("artifacts") }
