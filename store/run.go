package store

import (
	"slices"
	"time"
)

// State is the state of a run.
type State string

// These are the states.
const (
	StateRunning   State = "running"
	StateCompleted State = "completed"
	StateOrphaned  State = "orphaned" // its heartbeat stopped before it was finished
)

// Status is the state of a run together with the outcome of its command, for people.
type Status string

// These are the statuses.
const (
	StatusRunning   Status = "RUNNING"
	StatusOK        Status = "OK"
	StatusFail      Status = "FAIL"
	StatusTimeout   Status = "TIMEOUT"
	StatusCancelled Status = "CANCELLED"
	StatusOrphaned  Status = "ORPHANED"
)

// Run is one execution of one step: what ran, where, on which commit, how it ended.
type Run struct {
	Attempt string // UUIDv7 from the client that started the run; the idempotency key
	Repo    string // owner/name, "" for the local repository
	Serial  int    // allocated by the store, never reused
	Source  string // name of the step: build, test

	Command   string // as shown to people
	Cwd       string
	StartedAt time.Time
	Hostname  string
	Platform  string // Linux, Darwin, Windows
	Arch      string // x86_64, arm64
	Git       Git
	CI        *CI    // nil outside CI
	Format    string // parser hint given by the user, "" for all formats
	Shape     string // digest of what the command checks and where, see package internal/step; never "" in a stored run

	State       State
	OpenedAt    time.Time // when it began by the store's clock, not the client's; zero for old runs
	HeartbeatAt time.Time
	OutputAt    time.Time // when the newest part of its log was added; zero if there is none
	Undated     bool      // StartedAt is by a clock that may be off, because the client did not tell its time
	Ending                // zero until the run is completed

	Errors   int   // events of severity error
	Warnings int   // events of severity warning
	Bytes    int64 // raw log size so far
	Lines    int   // lines of log so far, counted by \n, including an unfinished last line
}

// Ending is how a run's command ended.
type Ending struct {
	FinishedAt time.Time
	ExitCode   *int   // nil if there is none: killed, or an imported log
	Signal     string // SIGTERM, … if a signal ended it
	Reason     Reason
	Lost       string // what could not be recorded, "" for nothing
}

// Reason is why a command ended, beyond its exit code.
type Reason string

// These are the reasons.
const (
	ReasonExit      Reason = ""          // it ended by itself
	ReasonTimeout   Reason = "timeout"   // blq stopped it
	ReasonCancelled Reason = "cancelled" // the user or the CI system stopped it
)

// Git holds the commit a run happened at.
type Git struct {
	Commit string
	Branch string
	Dirty  bool
	Root   string // absolute path of the work tree's top, "" outside git
}

// CI holds what a CI system reports about the job of a run.
type CI struct {
	Provider   string `json:"provider"` // github, gitlab, jenkins, circleci, buildkite, azure, travis, generic
	Repo       string `json:"repo,omitempty"`
	Workflow   string `json:"workflow,omitempty"`
	Job        string `json:"job,omitempty"`
	CheckRunID string `json:"check_run_id,omitempty"`
	JobRun     string `json:"job_run,omitempty"` // made by blq; the same for all runs of one execution of the job
	Step       string `json:"step,omitempty"`    // tells the steps of the job apart
	RunID      string `json:"run_id,omitempty"`
	RunAttempt int    `json:"run_attempt,omitempty"`
	Matrix     string `json:"matrix,omitempty"` // JSON of the leg's values
	EventName  string `json:"event_name,omitempty"`
	Actor      string `json:"actor,omitempty"`
	PR         int    `json:"pr_number,omitempty"`
	HeadSHA    string `json:"head_sha,omitempty"`
	// HeadUnverified says that only the job vouches for HeadSHA. The forge signed the other facts.
	HeadUnverified bool   `json:"head_unverified,omitempty"`
	HeadRef        string `json:"head_ref,omitempty"`
	BaseRef        string `json:"base_ref,omitempty"`
	BaseSHA        string `json:"base_sha,omitempty"`
	Fork           bool   `json:"fork,omitempty"`
	URL            string `json:"url,omitempty"`
}

// Ref returns the run's reference, source:serial.
func (r Run) Ref() Ref { return Ref{Repo: r.Repo, Source: r.Source, Serial: r.Serial} }

// Status returns the status for people. The exit code decides; events decide only if there is none.
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
	case r.ExitCode == nil && r.Signal == "" && r.Errors == 0:
		return StatusOK
	}
	return StatusFail
}

// Duration returns how long the run took, 0 while it is running.
func (r Run) Duration() time.Duration {
	if r.FinishedAt.IsZero() {
		return 0
	}
	return r.FinishedAt.Sub(r.StartedAt)
}

// Stopped are the signals that end a command from outside. A command that another signal ended has crashed.
var Stopped = []string{"SIGHUP", "SIGINT", "SIGKILL", "SIGTERM"}

// Ended reports whether the run's command ended by itself, so that its output is complete.
func (r Run) Ended() bool {
	return r.State == StateCompleted && r.Reason == ReasonExit && !slices.Contains(Stopped, r.Signal)
}
