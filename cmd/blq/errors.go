package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

func newErrors(a *app) *cobra.Command { return newOfSeverity(a, store.SeverityError) }

func newOfSeverity(a *app, severity store.Severity) *cobra.Command {
	f := eventFlags{EventsParams: query.EventsParams{Severity: string(severity)}}
	noun := string(severity)
	c := &cobra.Command{
		Use:   noun + "s [RUN]",
		Short: "List " + noun + "s: of a run, or of the newest run of each source",
		Example: fmt.Sprintf("  %-24s # of the newest run of each source\n  %-24s # of one run",
			"blq "+noun+"s", "blq "+noun+"s build:5"),
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.events(c, f, args, noun) },
	}
	f.add(c)
	if severity == store.SeverityError {
		jsonFlags(c, a, errorList{}, "print JSON")
		a.exitCodeFlag(c, "exit with 1 if there are errors, or a run has not ended or failed without one that was recognised")
	} else {
		jsonFlags(c, a, warningList{}, "print JSON")
	}
	return c
}
