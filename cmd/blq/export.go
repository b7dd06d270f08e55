//go:build !job

package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/export"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

func newExport(a *app) *cobra.Command {
	var p export.Params
	var file string
	c := &cobra.Command{
		Use:   "export FORM [RUN]",
		Short: questions.Export.About,
		Long: `Export writes a run, the newest one unless told, in a form that other tools
read. FORM is

  junit       tests, as JUnit XML with the reruns of Maven Surefire
  ctrf        tests, in the Common Test Report Format
  sarif       events, as SARIF 2.1.0, for code scanning
  checkstyle  events, as Checkstyle XML
  rdjson      events, in reviewdog's format; rdjsonl has one on each line
  otlp        the run as a trace of OpenTelemetry, with its tests and events`,
		Example: `  blq export junit > report.xml
  blq export sarif build:5 --baseline main -o build.sarif
  blq export rdjsonl lint | reviewdog -f=rdjsonl -reporter=github-pr-review
  blq export otlp | curl -H 'Content-Type: application/json' -d @- localhost:4318/v1/traces`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			p.Form = export.Form(args[0])
			if len(args) > 1 {
				p.Ref = args[1]
			}
			by, err := a.asked(c.Context())
			if err != nil {
				return err
			}
			if file == "" {
				return a.export(c.Context(), by, p, a.stdout)
			}
			return toFile(file, func(to io.Writer) error { return a.export(c.Context(), by, p, to) })
		},
	}
	c.Flags().StringVarP(&file, "output", "o", "", "write to this `FILE` in place of stdout")
	c.Flags().StringVar(&p.Baseline, "baseline", "", "for sarif: compare with this `RUN`, branch or commit")
	return c
}

// export writes the parts of a document one after another.
func (a *app) export(ctx context.Context, by asked, p export.Params, to io.Writer) error {
	for {
		part, err := questions.Export.Ask(ctx, by, p)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(to, part.Text); err != nil {
			return err
		}
		if err := a.exportNotes(part, p.Next == ""); err != nil {
			return err
		}
		if part.Next == "" {
			return nil
		}
		if part.Next == p.Next {
			return store.Errorf(store.Unavailable, "the document does not end: the server repeats a part")
		}
		p.Ref, p.Next = part.Attempt, part.Next
	}
}

// exportNotes prints the notes about a document on stderr. It prints them only with the first part of the document.
func (a *app) exportNotes(part export.Part, first bool) error {
	if !first {
		return nil
	}
	if part.Note != "" {
		fmt.Fprintln(a.stderr, "blq: "+part.Note)
	}
	if a.opened == nil {
		return nil
	}
	raw, err := a.opened.Unredacted()
	if err == nil && raw[part.Attempt] {
		fmt.Fprintln(a.stderr, "blq: this run was recorded with the secrets in its log, and the document may have them too")
	}
	return err
}
