package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/query/questions"
)

func newReport(a *app) *cobra.Command {
	var p markdown.Params
	var format, html string
	c := &cobra.Command{
		Use:   "report [RUN]",
		Short: questions.Report.About,
		Long: `Report writes Markdown about a run, the newest one unless told. Formats:

  pr-comment   what the author of a pull request needs: new errors first, the
               others folded; within the 65,536 characters of a comment
  brief        about ten lines
  detailed     facts of the run, errors by file, each with its log lines

Text of logs, commands and names is shown as code, so nothing in it becomes a
mention, a link or HTML.

With --html the run's page is written to a file that any browser opens, without
a server: the verdict, errors, facts, and the parts of the log around errors.`,
		Example: `  blq report                                  # for a pull request
  blq report test --format brief
  blq report build:5 --baseline main > report.md
  blq report --html report.html`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				p.Ref = args[0]
			}
			if html != "" {
				return a.reportPage(c.Context(), p, html)
			}
			p.Format = markdown.Format(format)
			return reply(c, a, questions.Report, p, func(answer markdown.Report) error {
				_, err := io.WriteString(a.stdout, answer.Markdown)
				return err
			})
		},
	}
	c.Flags().StringVar(&format, "format", string(markdown.PRComment), "`FORMAT`: pr-comment, brief or detailed")
	c.Flags().StringVar(&html, "html", "", "write the run's page to `FILE`, - for stdout")
	c.Flags().StringVar(&p.Baseline, "baseline", "", "compare with this `RUN`, branch or commit")
	c.Flags().StringVar(&p.Source, "source", "", "the newest run of this `SOURCE`")
	placeFlags(c, &p.At)
	countFlag(c, &p.MaxBytes, "max-bytes", "", 0, "write at most this many bytes, 0 for as many as a comment may have")
	jsonFlags(c, a, markdown.Report{}, "print JSON")
	for _, other := range []string{"format", "max-bytes", "json"} {
		c.MarkFlagsMutuallyExclusive("html", other)
	}
	return c
}
