package action

import (
	"os"

	"github.com/blq-ci/blq/ingest/client"
	"github.com/blq-ci/blq/store"
)

// Say tells in a line of the log.
func (j *Job) Say(format string, args ...any) { j.say(format, args...) }

// SetOutput sets an output, where there is a file for them.
func (j *Job) SetOutput(name, value string) {
	_ = j.fileCommand("GITHUB_OUTPUT", name, oneLine(value)) // outside of an action nobody reads them
}

// Client returns what speaks to the server, nil where there is none, or nothing
// to prove ourselves with.
func (j *Job) Client(server, token string) (*client.Client, error) { return j.client(server, token) }

// AddSummary adds Markdown to the job's summary, where there is one. TooLarge:
// GitHub would drop all of it.
func (j *Job) AddSummary(markdown string) error {
	path := j.Getenv("GITHUB_STEP_SUMMARY")
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && info.Size()+int64(len(markdown))+2 >= mostSummary {
		return store.Errorf(store.TooLarge, "GitHub takes 1 MiB of a step, and the step wrote %s", count(int(info.Size()), "byte"))
	}
	return appendTo(path, "\n"+markdown+"\n")
}
