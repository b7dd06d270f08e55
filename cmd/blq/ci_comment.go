//go:build !job

package main

import (
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// ciCommands returns the commands of the group ci that only the program blq has, and blq-job does not.
func ciCommands(a *app) []*cobra.Command { return []*cobra.Command{newCIComment(a)} }

func newCIComment(a *app) *cobra.Command {
	var p query.PostSummaryParams
	c := &cobra.Command{
		Use:   "comment [PR]",
		Short: questions.PostSummary.About,
		Long: `Comment makes a server with a GitHub App write its one comment on a pull request
now, with your note. The server edits the comment as jobs end, and keeps your
note. A note is shown as plain text; each caller has one on a pull request, and
the next one takes its place. Without --note yours is removed.

Secrets of this environment and tokens are replaced by *** before the note is
sent. In a job, action/report writes the comment, and needs no server.`,
		Example: `  blq ci comment 7 --remote --note "flaky: the database was not up"
  blq ci comment --ref build:5 --remote --format detailed --check
  make explain | blq ci comment 7 --remote --note -`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) (err error) {
			if len(args) > 0 {
				if p.PR, err = strconv.Atoi(args[0]); err != nil || p.PR <= 0 {
					return usage{store.Errorf(store.Invalid, "%q is not the number of a pull request", args[0])}
				}
			}
			return a.comment(c, p)
		},
	}
	c.Flags().IntVar(&p.PR, "pr", 0, "`NUMBER` of the pull request")
	c.Flags().StringVar(&p.Ref, "ref", "", "or a `RUN` of it")
	c.Flags().StringVar(&p.Note, "note", "", "`TEXT` that you add, - for the standard input")
	c.Flags().StringVar(&p.Format, "format", "", "`FORM` of the report: brief, detailed or pr-comment")
	c.Flags().BoolVar(&p.Check, "check", false, "also write a check run")
	jsonFlags(c, a, query.SummaryPosted{}, "print JSON")
	return c
}

// maxPiped is the max number of bytes that are read as a note from stdin. The server may post only a part of the note,
// and reports how many characters it left out.
const maxPiped = 60 << 10

// comment asks the server to write a comment on a pull request.
func (a *app) comment(c *cobra.Command, p query.PostSummaryParams) error {
	if a.where.server == "" {
		_, err := (&query.Asker{}).PostSummary(c.Context(), p)
		return err
	}
	if p.Note == "-" {
		text, err := io.ReadAll(io.LimitReader(a.stdin, maxPiped))
		if err != nil {
			return fmt.Errorf("read the note: %w", err)
		}
		p.Note = string(text)
	}
	p.Note = record.Redactor().String(p.Note)
	by, err := a.asked(c.Context())
	if err != nil {
		return err
	}
	if repo := a.repo(a.where.repo); p.Ref == "" && repo != everyRepo {
		p.Repo = repo
	}
	answer, err := questions.PostSummary.Ask(c.Context(), by, p)
	if err != nil {
		return err
	}
	if a.form.json {
		return a.json(answer)
	}
	return a.posted(answer)
}

// posted prints how a comment was posted.
func (a *app) posted(s query.SummaryPosted) error {
	text := fmt.Sprintf("%s: pull request %d of %s", s.State, s.PR, s.Repo)
	if s.URL != "" {
		text += " " + s.URL
	}
	if s.Why != "" {
		text += " (" + s.Why + ")"
	}
	fmt.Fprintln(a.stderr, text)
	if s.Cut > 0 {
		fmt.Fprintf(a.stderr, "%d characters of the note were left out\n", s.Cut)
	}
	_, err := fmt.Fprint(a.stdout, s.Markdown)
	return err
}
