// Package runner declares how servers for agents run commands: in a project on this machine, or as workflows of
// another system. It may import query and store.
package runner

import (
	"context"
	"time"

	"github.com/blq-ci/blq/query"
)

// Commands runs registered commands.
type Commands interface {
	// List returns the registered commands that the caller may see, sorted by name.
	List(ctx context.Context) ([]Command, error)
	// Run runs a registered command, or any command in Exec, and waits for its end, but not longer than wait. After
	// that time, or if ctx ends, the run continues. The answer then has the status RUNNING, and the ref with which the
	// caller can ask again. The error is NotFound for an unknown command, and Invalid for wrong parameters.
	Run(ctx context.Context, r Request, wait time.Duration) (Ran, error)
}

// Registry is a Commands that callers may change. It also runs commands that are not registered.
type Registry interface {
	Commands
	// Register adds a command, or reports that the command already exists. The error is Conflict if another command
	// has the name and force is false.
	Register(ctx context.Context, c Command, force bool) (Registered, error)
	// Unregister removes a command. The error is NotFound if no command has the name.
	Unregister(ctx context.Context, name string) error
	// Cancel ends a running command that this server started. It returns when the command has ended and is recorded.
	// The error is NotFound if this server did not start the command, or if the command has already ended.
	Cancel(ctx context.Context, attempt string) error
	// Clean removes runs. The error is Invalid for an unknown mode, or if the mode requires a source or an age, and the
	// caller gives none. Without days, the age comes from the retention settings.
	Clean(ctx context.Context, mode string, days int, source string) (Cleaned, error)
}

// Request is a request to run a command.
type Request struct {
	Name    string            // name of a registered command; "" for Exec
	Repo    string            // repository of the command if several repositories have it; "" for the only one
	Branch  string            // branch to run on in another system, "" for the command's branch
	Exec    string            // a shell command that is not registered
	Args    map[string]string // values of the template's parameters
	Extra   []string          // further arguments, never parsed by a shell
	Timeout time.Duration     // 0 for the command's timeout
	Limit   int               // max errors in the answer, 0 for all
}

// Ran is the present result of a command.
type Ran struct {
	query.Result           // without a run_ref if the command is not recorded
	Warning      string    // which part is not recorded and why; "" if everything is recorded
	Workflow     *Workflow // the workflow that runs the command, nil on this machine
}

// Workflow is the workflow run of a command in another system.
type Workflow struct {
	Repo  string `json:"repo"`
	RunID string `json:"run_id,omitempty"` // run ID in the CI facts of its runs
	URL   string `json:"url,omitempty"`    // page for people
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

// Registered is the result of Register.
type Registered struct {
	Name    string // name of the command; it may differ from the requested name
	Message string
}

// Cleaned is the result of Clean.
type Cleaned struct {
	Success bool     `json:"success" jsonschema:"true when it was done"`
	Message string   `json:"message" jsonschema:"what was done"`
	Mode    string   `json:"mode" jsonschema:"as asked"`
	Removed *Removed `json:"removed,omitempty" jsonschema:"counts: invocations, events, blobs, bytes_freed" schema:"open"`
}

// Removed counts the data that Clean removed.
type Removed struct {
	Invocations int   `json:"invocations" jsonschema:"runs"`
	Events      int   `json:"events" jsonschema:"events"`
	Blobs       int   `json:"blobs" jsonschema:"pieces of logs"`
	BytesFreed  int64 `json:"bytes_freed" jsonschema:"bytes of logs"`
}
