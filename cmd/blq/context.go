package main

import (
	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
)

func newContext(a *app) *cobra.Command {
	var lines int
	c := &cobra.Command{
		Use:     "context REF",
		Short:   questions.Context.About,
		Example: `  blq context build:5:3 --lines 10`,
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return reply(c, a, questions.Context, query.ContextParams{Ref: args[0], Lines: lines},
				func(answer query.Context) error { return a.marked(answer.Lines) })
		},
	}
	lines = query.DefaultContext
	countFlag(c, &lines, "lines", "", 0, "lines before and after")
	jsonFlags(c, a, query.Context{}, "print JSON")
	return c
}
