package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
)

func newEvent(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "event REF",
		Short:   questions.Event.About,
		Example: `  blq event build:5:3`,
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return reply(c, a, questions.Event, query.EventParams{Ref: args[0]}, a.details)
		},
	}
	jsonFlags(c, a, query.EventDetails{}, "print JSON")
	return c
}

func (a *app) details(d query.EventDetails) error {
	a.heading(string(d.Severity), d.Ref, place(d.File, d.Line, d.Column), d.Message)
	a.fields([][2]string{{"tool", d.Tool}, {"category", string(d.Category)}, {"code", d.Code}, {"test", d.Test},
		{"fingerprint", d.Fingerprint},
		{"log lines", lineRange(d.LogLine, d.LogLineEnd)}, {"commit", d.Commit}, {"branch", d.Branch}, {"cwd", d.Cwd}})
	if d.RawText == "" {
		return nil
	}
	_, err := fmt.Fprintf(a.stdout, "\n%s\n", d.RawText)
	return err
}
