package mcp

import (
	"github.com/blq-ci/blq/internal/shellword"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

type triageIn struct {
	Ref      string `json:"ref,omitempty" jsonschema:"run, such as build:5; a failed one when left out"`
	Source   string `json:"source,omitempty" jsonschema:"of this source"`
	Baseline string `json:"baseline,omitempty" jsonschema:"run, branch or commit to compare with"`
	query.At
	Budget
}

var triageTool = newTool(spec{
	name: "triage", bytes: query.TriageBytes,
	description: "Begin here when a build failed: what failed, with log lines, what is new, flaky or broken on the " +
		"base.",
}, func(c *call, in triageIn) (query.Triage, error) {
	p := query.TriageParams{Ref: in.Ref, Source: in.Source, At: in.At, Baseline: in.Baseline, MaxBytes: c.bytes,
		Docs: c.server.mentions(), Graph: true}
	if c.commands != nil && !c.server.config.Hosted { // in the service, the names of commands belong to repositories
		list, err := c.commands.List(c)
		if err != nil {
			return query.Triage{}, err
		}
		for _, command := range list {
			p.Commands = append(p.Commands, command.Name)
		}
	}
	t, err := c.Asker.Triage(c, p)
	var steps []store.Call
	for _, step := range t.NextSteps {
		if ours, ok := forAgents(step); ok && c.server.callOf(ours) != "" {
			steps = append(steps, ours)
		}
	}
	t.NextSteps = steps
	c.server.nameOffered(t.Truncated)
	return t, err
})

// forAgents returns a call in a form that an agent can make. It returns false if there is no such form. The tool exec
// accepts no name and no directory. For a directory, the command begins with cd. This is possible only for a simple
// command (see shellword.Split). A call with a name has no such form, because without the name the run would belong to
// another step.
func forAgents(step store.Call) (store.Call, bool) {
	text, _ := step.Arguments.Get("command").(string)
	dir, inDir := step.Arguments.Get("directory").(string)
	_, simple := shellword.Split(text)
	switch {
	case step.Tool != "exec":
		return step, true
	case step.Arguments.Get("name") != nil, inDir && !simple:
		return store.Call{}, false
	case inDir:
		return store.NewCall("exec", step.Why, "command", "cd "+shellword.Quote(dir)+" && "+text), true
	}
	return step, true
}
