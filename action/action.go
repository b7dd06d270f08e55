// Package action is what blq does inside a job of GitHub Actions: it wraps a
// step, tells of it in annotations, the job's summary and outputs, and sends
// it. Nothing of that changes how the step behaves: what goes wrong with it is
// one warning. It may import what the command line may.
package action

import (
	"io"
	"os"
	"path/filepath"

	"github.com/blq-ci/blq/store"
)

// Job is the job of GitHub Actions that a step is part of.
type Job struct {
	Getenv  func(string) string
	Notes   io.Writer // where workflow commands go, and all that is ours: never among the step's output
	Version string    // of blq
}

// The names of the job's environment that blq itself sets or understands.
const (
	serverVariable   = "BLQ_SERVER"
	tokenVariable    = "BLQ_TOKEN"
	audienceVariable = "BLQ_AUDIENCE"
	nameVariable     = "BLQ_NAME" // of a step's runs
	// containerVariable says that the step runs inside our own image.
	containerVariable = "BLQ_CONTAINER_ACTION"
)

// State is the folder that the steps of a job share:
//
//	store/               what is recorded, as in a .lq folder (BLQ_DIR for later steps)
//	artifacts/ATTEMPT/   run.json, events.ndjson, log.zst of what could not be sent
//	owed/ATTEMPT.json    runs that are still to be sent, and where to
//	unreachable          the server that was waited for in vain
//	settings.json        what action/setup was told, for blq shell
//	bin/                 blq
//
// Everything in it is named after an attempt or made for many processes, so
// steps may run side by side. The runner empties its parent after each job.
type State string

// State returns the folder. Unavailable: the runner named no place for it.
func (j *Job) State() (State, error) {
	temp := j.Getenv("RUNNER_TEMP")
	if temp == "" {
		return "", store.Errorf(store.Unavailable, "RUNNER_TEMP is not set")
	}
	dir := filepath.Join(temp, "blq")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	return State(dir), nil
}

func (s State) path(elem ...string) string {
	return filepath.Join(append([]string{string(s)}, elem...)...)
}

// Store is the .lq folder of the job.
func (s State) Store() string { return s.path("store") }

// Artifacts is the folder whose folders each hold a run that was not sent.
func (s State) Artifacts() string { return s.path("artifacts") }
