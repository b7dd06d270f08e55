//go:build !job

package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/facts/docs"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
)

func newDocs(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "docs",
		Short: "Search documentation, of the project and of what it uses",
		Long: `Searches the project's documentation, which is the source docs, and texts from
outside that were added. What is found has a citation; get shows its lines, also
when the documentation has changed since.`,
		Example: `  blq docs find "exit codes"              # in the project's documentation
  blq docs get docs/README.md:10-20       # the lines; --context symmetric: the section
  blq docs add hono                       # from the registry; others with a URL
  blq docs find middleware --source hono
  blq docs list                           # what there is, and what can be added
  blq docs toc docs/guide.md              # the headings of a document`,
		Args: noSuchCommand,
		RunE: help,
	}
	c.AddCommand(newDocsFind(a), newDocsGet(a), newDocsAdd(a), newDocsList(a))
	return c
}

func newDocsFind(a *app) *cobra.Command {
	p := query.FindParams{Source: docs.RepositoryAlias, MaxResults: 10}
	c := &cobra.Command{
		Use:   "find [QUERY]...",
		Short: questions.Find.About,
		Example: `  blq docs find "exit codes"
  blq docs find '"exact phrase"' --source all
  blq docs find '# install' --headings --at v1.2`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			p.Query = strings.Join(args, " ")
			return found(c, a, questions.Find, p)
		},
	}
	c.Flags().StringVar(&p.Source, "source", p.Source, "`ALIAS` of the source, several with commas, or all")
	c.Flags().BoolVar(&p.HeadingsOnly, "headings", false, "match headings only")
	countFlag(c, &p.MaxResults, "limit", "", 1, "hits, up to 50")
	c.Flags().StringArrayVar(&p.Snippets, "snippets", nil, "also show the lines of this `CITATION`")
	docsContext(c, &p.ContextMode, &p.LinePadding)
	atFlag(c, &p.At)
	jsonFlags(c, a, query.Found{}, "print JSON")
	return c
}

func newDocsGet(a *app) *cobra.Command {
	p := query.DocsGetParams{}
	c := &cobra.Command{
		Use:   "get CITATION...",
		Short: questions.DocsGet.About,
		Example: `  blq docs get docs/README.md:10-20
  blq docs get hono:100-120,130-150 --lines 2
  blq docs get build:5:L40-L60 code/main.go:1-10 docs@3f2c1e9/guide.md:5`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			p.Snippets = args
			return found(c, a, questions.DocsGet, p)
		},
	}
	docsContext(c, &p.Mode, &p.Padding)
	atFlag(c, &p.At)
	jsonFlags(c, a, query.Found{}, "print JSON")
	return c
}

func newDocsAdd(a *app) *cobra.Command {
	p := query.SourceAddParams{}
	c := &cobra.Command{
		Use:   "add ALIAS [URL]",
		Short: questions.SourceAdd.About,
		Example: `  blq docs add hono                                    # from the registry: see blq docs list
  blq docs add ours https://docs.example.org/llms.txt
  blq docs add hono --force                            # fetch it again`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			p.Alias = args[0]
			if len(args) == 2 {
				p.URL = args[1]
			}
			by, err := a.askedAbout(c.Context(), questions.SourceAdd.Row)
			if err != nil {
				return err
			}
			return judge(c, a, by, questions.SourceAdd, p, func(s query.SourceAdded) error {
				_, err := fmt.Fprintln(a.stdout, s.Message)
				return err
			}, nil)
		},
	}
	c.Flags().BoolVar(&p.Force, "force", false, "fetch a source again that is there; its earlier versions stay citable")
	jsonFlags(c, a, query.SourceAdded{}, "print JSON")
	return c
}

// docsContext adds the flags for the amount of text around a citation.
func docsContext(c *cobra.Command, mode *string, padding *int) {
	c.Flags().StringVar(mode, "context", string(docs.None),
		"show `TEXT`: the lines (none), their section (symmetric) or the whole document (all)")
	countFlag(c, padding, "lines", "", 0, "lines before and after, up to 50")
}

// found asks a question about documentation, and prints the hits and lines of the answer.
func found[P any](c *cobra.Command, a *app, q questions.Question[P, query.Found], p P) error {
	by, err := a.askedAbout(c.Context(), q.Row)
	if err != nil {
		return err
	}
	return judge(c, a, by, q, p, a.found, nil)
}

func (a *app) found(f query.Found) error {
	for i, h := range f.Hits {
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		fmt.Fprintf(a.stdout, "%s  %s\n", a.style.paint("1", h.Ref), strings.Join(h.HeadingPath, " > "))
		fmt.Fprintf(a.stdout, "    %s\n", h.Snippet)
	}
	for i, s := range f.Snippets {
		if i > 0 || len(f.Hits) > 0 {
			fmt.Fprintln(a.stdout)
		}
		note := ""
		if s.Truncated {
			note = " (cut)"
		}
		fmt.Fprintf(a.stdout, "%s  %s%s\n%s\n", a.style.paint("1", s.Ref), strings.Join(s.HeadingPath, " > "),
			note, s.Content)
	}
	if f.Executed.Searched && len(f.Hits) == 0 {
		fmt.Fprintln(a.stderr, "blq: nothing is found; try fewer words, or --source all; blq docs toc lists the documents")
	}
	for _, s := range f.Skipped {
		fmt.Fprintf(a.stderr, "blq: %s was not searched: %s\n", s.Alias, s.Reason)
	}
	if f.ResolvedFrom != "" {
		fmt.Fprintf(a.stderr, "blq: %.12s has no documents of its own; these are of %.12s, %s before\n", f.Commit,
			f.ResolvedFrom,
			count(f.Distance, "commit"))
	}
	return nil
}
