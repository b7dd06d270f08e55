package mcp

import (
	"strconv"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// pick returns the run that an argument names. Without an argument, it returns the newest failed run among the newest
// runs of all sources. If none failed, it returns the newest run. ok is false if there are no runs.
func (c *call) pick(ref string, newest []store.Run) (r store.Run, ok bool, err error) {
	if ref != "" {
		r, err = c.RunAt(c, query.At{}, ref)
		return r, err == nil, err
	}
	for _, r := range newest {
		if broken(r) {
			return r, true, nil
		}
	}
	if len(newest) == 0 {
		return r, false, nil
	}
	return newest[0], true, nil
}

// broken reports whether a run has ended without success.
func broken(r store.Run) bool { return r.Status() != store.StatusOK && r.State != store.StateRunning }

// statusTable returns a table of runs and their results.
func statusTable(runs []store.Run, limit int) string {
	var rows [][]string
	for _, r := range runs[:min(len(runs), limit)] {
		rows = append(rows, []string{cell(r.Source), cell(r.Ref().String()), string(r.Status()), strconv.Itoa(r.Errors),
			strconv.Itoa(r.Warnings)})
	}
	return table([]string{"Source", "Run", "Status", "Errors", "Warnings"}, rows)
}

// emptyPrompt returns the prompt for a store without runs.
func (c *call) emptyPrompt(task string) string {
	text := []string{task, "No run is recorded yet, so there is nothing to go by."}
	if names, err := c.commandNames(); err == nil && len(names) > 0 {
		text = append(text, c.sentence("Record one: %s", "run", "command", names[0]))
		if len(names) > 1 {
			text = append(text, "Registered commands: "+codes(names[:min(len(names), 20)]))
		}
	} else {
		text = append(text, c.sentence("Record one by running the build, such as %s", "exec", "command", "make"))
	}
	if len(text) == 2 || text[len(text)-1] == "" {
		text = append(text, "Record one first: "+code(cmdline.Words(store.NewCall("exec", "", "command", "make"))))
	}
	return paragraphs(text...)
}

// commandNames returns the names of the registered commands that can run.
func (c *call) commandNames() ([]string, error) {
	if c.commands == nil || !c.server.has("run") {
		return nil, nil
	}
	list, err := c.commands.List(c)
	var names []string
	for _, cmd := range list {
		names = append(names, cmd.Name)
	}
	return names, err
}

// again returns a text about how to repeat a run: with the registered command of the same name, or with the run's
// command line. If both are unknown, the text says to run the same step again.
func (c *call) again(r store.Run) string {
	names, err := c.commandNames()
	if err == nil {
		for _, name := range names {
			if name == r.Source {
				return c.use("run", "command", name)
			}
		}
	}
	if r.Command == "" {
		return "the same step again"
	}
	return markdown.Code(r.Command, 200) + " again"
}
