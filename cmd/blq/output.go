package main

import (
	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
)

func newOutput(a *app) *cobra.Command {
	var p query.OutputParams
	var lines string
	var follow, raw bool
	c := &cobra.Command{
		Use:   "output [RUN]",
		Short: questions.Output.About,
		Example: `  blq output build:5                 # all of it
  blq output build:5 --tail 50
  blq output build:5 --head 5 --tail 5
  blq output build:5:L40-L60         # some lines, also as --lines 40-60
  blq output build:5 --grep 'undefined.*foo' --context 3
  blq output build:5 --unread        # what may have gone wrong and was not understood
  blq output build --follow          # as it grows`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			by, err := a.asked(c.Context())
			if err != nil {
				return err
			}
			if len(args) > 0 {
				p.Ref = args[0]
			}
			if lines != "" {
				if p.From, p.To, err = query.ParseLines(lines); err != nil {
					return err
				}
			}
			switch {
			case follow:
				return by.Follow(c.Context(), p, a.stdout)
			case raw:
				return by.RawOutput(c.Context(), p.Ref, p.Stream, a.stdout)
			}
			if !a.form.json {
				return by.WriteOutput(c.Context(), p, a.stdout)
			}
			p.Numbered = true
			out, err := by.Output(c.Context(), p)
			if err != nil {
				return err
			}
			return a.json(out)
		},
	}
	countFlag(c, &p.Head, "head", "", 1, "the first lines, so many")
	countFlag(c, &p.Tail, "tail", "", 1, "the last lines, so many")
	c.Flags().StringVar(&lines, "lines", "", "these lines: `FROM-TO`, 40- or 40")
	c.Flags().StringVarP(&p.Grep, "grep", "g", "", "the lines that match a regular `EXPRESSION`")
	countFlag(c, &p.Context, "context", "", 0, "with so many lines around each match")
	c.Flags().BoolVar(&p.Unread, "unread", false, "the lines that speak of failure and belong to no error or warning")
	c.Flags().StringVar(&p.Stream, "stream", "", "`STREAM`: stdout, stderr or combined")
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on until the run has ended")
	c.Flags().BoolVar(&raw, "raw", false, "the exact bytes, with colours and control characters")
	jsonFlags(c, a, query.Output{}, "print JSON")
	for _, flag := range []string{"head", "tail"} {
		c.MarkFlagsMutuallyExclusive(flag, "lines")
		c.MarkFlagsMutuallyExclusive(flag, "grep")
	}
	for _, flag := range []string{"head", "grep", "context", "raw"} {
		c.MarkFlagsMutuallyExclusive(flag, "unread")
	}
	c.MarkFlagsMutuallyExclusive("follow", "json", "raw")
	c.MarkFlagsMutuallyExclusive("follow", "unread")
	c.MarkFlagsMutuallyExclusive("follow", "head")
	c.MarkFlagsMutuallyExclusive("follow", "grep")
	return c
}
