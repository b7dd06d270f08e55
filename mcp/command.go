package mcp

import (
	"context"
	"time"

	"github.com/blq-ci/blq/query"
)

// Commands runs commands that somebody has registered.
type Commands interface {
	// List returns the registered commands that the caller may know of, sorted by
	// name.
	List(ctx context.Context) ([]Command, error)
	// Run runs a registered command, or with Exec any, and waits for its end,
	// at most until wait has passed: the run goes on then, also when ctx ends,
	// and its answer is RUNNING with the ref to ask for. NotFound: no such
	// command. Invalid: wrong parameters.
	Run(ctx context.Context, r RunRequest, wait time.Duration) (Ran, error)
}

// Registry is Commands that callers may change, and that run any command.
type Registry interface {
	Commands
	// Register adds a command, or says that it is there already. Conflict: the
	// name is taken by another command, and force is false.
	Register(ctx context.Context, c Command, force bool) (Registered, error)
	// Unregister removes a command. NotFound: there is none of that name.
	Unregister(ctx context.Context, name string) error
	// Clean removes runs. Invalid: no such mode, or a mode without its days.
	Clean(ctx context.Context, mode string, days int) (Cleaned, error)
}

// RunRequest says what to run.
type RunRequest struct {
	Name    string            // of a registered command; "" for Exec
	Repo    string            // of which repository, where there are several; "" for the only one that has it
	Branch  string            // to run on elsewhere, "" for the command's own
	Exec    string            // a shell command that is not registered
	Args    map[string]string // values of the template's parameters
	Extra   []string          // further arguments, never read by a shell
	Timeout time.Duration     // 0 for the command's own
	Limit   int               // errors in the answer, 0 for all
}

// Ran is how a command went so far.
type Ran struct {
	query.Result           // without a run_ref when it is not recorded
	Warning      string    // what is not recorded, and why; "" for nothing
	Workflow     *Workflow // that it runs in, nil for here
}

// Workflow is where a command runs that runs elsewhere.
type Workflow struct {
	Repo  string `json:"repo"`
	RunID string `json:"run_id,omitempty"` // as in the CI facts of its runs
	URL   string `json:"url,omitempty"`    // for people
}

// Command is a registered command: a shell command, or a template with
// {placeholders}.
type Command struct {
	Name        string            `json:"name" jsonschema:"name to run it by"`
	Repo        string            `json:"repo,omitempty" jsonschema:"repository that it is of"`
	Cmd         string            `json:"cmd,omitempty" jsonschema:"shell command"`
	Tpl         string            `json:"tpl,omitempty" jsonschema:"template with {placeholders}"`
	Defaults    map[string]string `json:"defaults,omitempty" jsonschema:"values of placeholders"`
	Description string            `json:"description,omitempty" jsonschema:"what it is for"`
	Timeout     int               `json:"timeout" jsonschema:"seconds"`
	Format      string            `json:"format" jsonschema:"parser, auto for all"`
	Capture     bool              `json:"capture" jsonschema:"whether runs are recorded"`
}

// Registered says what Register did.
type Registered struct {
	Name    string // of the command, which may be another than was asked for
	Message string
}

// Cleaned says what Clean did.
type Cleaned struct {
	Success bool     `json:"success" jsonschema:"true when it was done"`
	Message string   `json:"message" jsonschema:"what was done"`
	Mode    string   `json:"mode" jsonschema:"as asked"`
	Removed *Removed `json:"removed,omitempty" jsonschema:"counts: invocations, events, blobs, bytes_freed" schema:"open"`
}

// Removed counts what Clean removed.
type Removed struct {
	Invocations int   `json:"invocations" jsonschema:"runs"`
	Events      int   `json:"events" jsonschema:"events"`
	Blobs       int   `json:"blobs" jsonschema:"pieces of logs"`
	BytesFreed  int64 `json:"bytes_freed" jsonschema:"bytes of logs"`
}
