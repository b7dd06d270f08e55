package store

import (
	"slices"
	"time"
)

// State is the state of a run.
type State string

// These are the states of runs.
const (
	StateRunning   State = "running"
	StateCompleted State = "completed"
	StateOrphaned  State = "orphaned" // the heartbeat stopped before the run was finished
)

// Status combines the state of a run with the result of its command, for people.
type Status string

// These are the statuses of runs.
const (
	StatusRunning   Status = "RUNNING"
	StatusOK        Status = "OK"
	StatusFail      Status = "FAIL"
	StatusTimeout   Status = "TIMEOUT"
	StatusCancelled Status = "CANCELLED"
	StatusOrphaned  Status = "ORPHANED"
)

// Run is one execution of a step, with its command, place, commit and ending.
type Run struct {
	Attempt string // UUIDv7 from the client that started the run; the idempotency key
	Repo    string // owner/name, "" for the local repository
	Serial  int    // allocated by the store, never reused
	Source  string // name of the step: build, test

	Command   string // the command as people see it
	Cwd       string
	StartedAt time.Time
	Hostname  string
	Platform  string // Linux, Darwin, Windows
	Arch      string // x86_64, arm64
	Git       Git
	CI        *CI    // nil outside CI
	Format    string // parser hint given by the user, "" for all formats
	Shape     string // digest of what the command checks, and where, see internal/step; never "" in a stored run

	State       State
	OpenedAt    time.Time // when the run began, by the store's clock; zero for old runs
	HeartbeatAt time.Time
	OutputAt    time.Time // when the newest part of the log was added; zero for none
	Undated     bool      // StartedAt may be wrong, because the client did not send its time
	Ending                // zero until the run is completed

	Errors   int   // number of events of severity error
	Warnings int   // number of events of severity warning
	Bytes    int64 // present size of the raw log
	Lines    int   // present number of lines, counted by \n, including an unfinished last line
}

// Ending describes how a run's command ended.
type Ending struct {
	FinishedAt time.Time
	ExitCode   *int   // nil if there is none, as for a killed command or an imported log
	Signal     string // name of the signal that ended the command, such as SIGTERM
	Reason     Reason
	Lost       string // data that could not be recorded, "" for none
}

// Reason is why a command ended, in addition to its exit code.
type Reason string

// These are the reasons why commands end.
const (
	ReasonExit      Reason = ""          // the command ended by itself
	ReasonTimeout   Reason = "timeout"   // blq stopped the command after its time limit
	ReasonCancelled Reason = "cancelled" // the user or the CI system stopped the command
)

// Git describes the work tree and commit of a run.
type Git struct {
	Commit string
	Branch string
	Dirty  bool
	Root   string // absolute path of the work tree, "" outside git
}

// CI holds the CI system's data about the job of a run.
type CI struct {
	Provider   string `json:"provider"` // github, gitlab, jenkins, circleci, buildkite, azure, travis, generic
	Repo       string `json:"repo,omitempty"`
	Workflow   string `json:"workflow,omitempty"`
	Job        string `json:"job,omitempty"`
	CheckRunID string `json:"check_run_id,omitempty"`
	JobRun     string `json:"job_run,omitempty"` // made by blq; equal for all runs in one execution of the job
	Step       string `json:"step,omitempty"`    // distinguishes the steps of a job
	RunID      string `json:"run_id,omitempty"`
	RunAttempt int    `json:"run_attempt,omitempty"`
	Matrix     string `json:"matrix,omitempty"` // JSON of the values of the matrix leg
	EventName  string `json:"event_name,omitempty"`
	Actor      string `json:"actor,omitempty"`
	PR         int    `json:"pr_number,omitempty"`
	HeadSHA    string `json:"head_sha,omitempty"`
	// HeadUnverified is true if the run was sent with a signed token of its job, but HeadSHA comes only from the job
	// itself.
	HeadUnverified bool   `json:"head_unverified,omitempty"`
	HeadRef        string `json:"head_ref,omitempty"`
	BaseRef        string `json:"base_ref,omitempty"`
	BaseSHA        string `json:"base_sha,omitempty"`
	Fork           bool   `json:"fork,omitempty"`
	URL            string `json:"url,omitempty"`
}

// Ref returns the run's reference, source:serial.
func (r Run) Ref() Ref { return Ref{Repo: r.Repo, Source: r.Source, Serial: r.Serial} }

// Status returns the status for people. A run that is running, orphaned, timed out or cancelled has a status of its
// own. The status of any other run depends on the signal and the exit code. If the run has neither a signal nor an exit
// code, the status depends on the number of errors. In this case, a run with lost data has failed, because an error may
// be in the lost data.
func (r Run) Status() Status {
	switch {
	case r.State == StateRunning:
		return StatusRunning
	case r.State == StateOrphaned:
		return StatusOrphaned
	case r.Reason == ReasonTimeout:
		return StatusTimeout
	case r.Reason == ReasonCancelled:
		return StatusCancelled
	case r.ExitCode != nil && *r.ExitCode == 0 && r.Signal == "":
		return StatusOK
	case r.ExitCode == nil && r.Signal == "" && r.Errors == 0 && r.Lost == "":
		return StatusOK
	}
	return StatusFail
}

// Duration returns how long the run took. It returns 0 for a running run.
func (r Run) Duration() time.Duration {
	if r.FinishedAt.IsZero() {
		return 0
	}
	return r.FinishedAt.Sub(r.StartedAt)
}

// Stopped holds the signals with which a person or another program ends a command. A command that ended by any other
// signal has crashed.
var Stopped = []string{"SIGHUP", "SIGINT", "SIGKILL", "SIGTERM"}

// Ended reports whether the run's command ended by itself, so that it has printed all its output. Lost says whether
// all of this output was stored.
func (r Run) Ended() bool {
	return r.State == StateCompleted && r.Reason == ReasonExit && !slices.Contains(Stopped, r.Signal)
}
