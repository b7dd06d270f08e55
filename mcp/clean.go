package mcp

import (
	"fmt"
	"time"

	"github.com/blq-ci/blq/internal/runner"
	"github.com/blq-ci/blq/store"
)

type cleanIn struct {
	Mode    string `json:"mode,omitempty" jsonschema:"data: all runs; schema: the database too; full: settings too" enum:"data,source,prune,schema,full" default:"\"data\""`
	Source  string `json:"source,omitempty" jsonschema:"source"`
	Confirm bool   `json:"confirm,omitempty" jsonschema:"must be true: no undo"`
	Days    int    `json:"days,omitempty" jsonschema:"prune: runs older than that; else by the settings" min:"1"`
}

var cleanTool = newTool(spec{
	name:        "clean",
	description: `Remove recorded runs for good. Example: clean(mode="prune", days=30, confirm=true).`,
}, func(c *call, in cleanIn) (runner.Cleaned, error) {
	if !in.Confirm {
		return runner.Cleaned{}, c.unconfirmed(in)
	}
	return c.registry().Clean(c, in.Mode, in.Days, in.Source)
})

// unconfirmed returns an error that lists what a confirmed call would remove.
func (c *call) unconfirmed(in cleanIn) error {
	runs, err := c.Asker.Store.Runs(c, c.Asker.Scope, store.RunFilter{Source: in.Source})
	if err != nil {
		return err
	}
	n := 0
	for _, r := range runs {
		old := in.Mode != "prune" || r.StartedAt.Before(time.Now().AddDate(0, 0, -in.Days))
		if old && r.State != store.StateRunning {
			n++
		}
	}
	count := fmt.Sprintf("%d runs", n)
	if n == 1 {
		count = "1 run"
	}
	what, args := count+" with events and log", []any{"mode", in.Mode}
	switch {
	case in.Mode == "full":
		what += ", the settings and the registered commands"
	case in.Mode == "source":
		what, args = count+" of "+in.Source+" with events and log", append(args, "source", in.Source)
	case in.Mode == "prune" && in.Days > 0:
		what, args = fmt.Sprintf("%s older than %d days", count, in.Days), append(args, "days", in.Days)
	case in.Mode == "prune":
		what = "the runs that the retention settings do not keep"
	}
	return store.Next(
		store.Errorf(store.Invalid, "nothing was removed: this removes %s for good, and wants confirm=true", what),
		store.NewCall("clean", "", append(args, "confirm", true)...))
}
