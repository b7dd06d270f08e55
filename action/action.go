// Package action runs blq inside a job of GitHub Actions. It wraps a step, reports it in
// annotations, the job's summary and outputs, and sends its run to the server. None of that changes
// how the step behaves: problems end in one warning. The package may import what the command line
// may.
package action

import (
	"crypto/rand"
	"io"
	"os"
	"path/filepath"

	"github.com/blq-ci/blq/internal/redact"
	"github.com/blq-ci/blq/store"
)

// Job is the job of GitHub Actions that a step is part of.
type Job struct {
	Getenv  func(string) string
	Notes   io.Writer // where workflow commands and blq's own messages go; apart from the step's output
	Version string    // version of blq
	// Redactor removes secrets from all that leaves the job, nil for none.
	Redactor *redact.Redactor
	secrets  *masks // what is secret in the job, nil if it cannot be kept
}

// Environment variables of the job that blq sets or reads.
const (
	serverVariable   = "BLQ_SERVER"
	tokenVariable    = "BLQ_TOKEN"
	audienceVariable = "BLQ_AUDIENCE"
	nameVariable     = "BLQ_NAME" // name of a step's runs
)

// jobFolder is the folder that the steps of a job share:
//
//	store/               what is recorded, as in a .lq folder (BLQ_DIR for later steps)
//	artifacts/ATTEMPT/   run.json, events.ndjson, log.zst, report.html of runs that could not be sent
//	hidden/ATTEMPT       how many values were secret when the artifact was written
//	owed/ATTEMPT.json    runs that still have to be sent, and where to
//	unreachable          the server that did not answer in time
//	facts                the server and the commit whose facts it has
//	checked              the commit whose rules and documents are checked
//	settings.json        the inputs of action/setup, for blq shell
//	job.json             facts of the job that only the workflow knows
//	job                  an ID of this execution of the job
//	masks/               what is secret in the job, encrypted
//	bin/                 blq
//
// Files are named after an attempt or made for concurrent use, so steps may run at the same time.
// The runner empties its parent after each job.
type jobFolder string

// folder returns the folder. Errors: unavailable when the runner names no place for it.
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

// jobRun returns an ID of this execution of the job, the same for all its steps, "" if it cannot be
// kept.
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
	_ = os.Link(made, file) // it fails if a step that runs at the same time was faster
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	return string(text)
}

// store returns the path of the job's .lq folder.
func (s jobFolder) store() string { return s.path("store") }

// artifacts returns the path of the folder with a folder for each run that was not sent.
func (s jobFolder) artifacts() string { return s.path("artifacts") }
