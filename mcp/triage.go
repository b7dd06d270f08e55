package mcp

import (
	"slices"

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
		"base, next calls.",
}, func(c *call, in triageIn) (query.Triage, error) {
	p := query.TriageParams{Ref: in.Ref, Source: in.Source, At: in.At, Baseline: in.Baseline, MaxBytes: c.bytes}
	if c.commands != nil && !c.server.config.Hosted { // in the service names belong to repositories
		list, err := c.commands.List(c)
		if err != nil {
			return query.Triage{}, err
		}
		for _, command := range list {
			p.Commands = append(p.Commands, command.Name)
		}
	}
	t, err := c.Asker.Triage(c, p)
	t.NextSteps = slices.DeleteFunc(t.NextSteps, func(step store.Call) bool { return c.server.callOf(step) == "" })
	c.server.nameOffered(t.Truncated)
	return t, err
})
