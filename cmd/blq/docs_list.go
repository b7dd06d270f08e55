//go:build !job

package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
)

func newDocsList(a *app) *cobra.Command {
	p := query.ListSourcesParams{}
	c := &cobra.Command{
		Use:   "list [FILTER]",
		Short: questions.ListSources.About,
		Example: `  blq docs list
  blq docs list react      # names with these letters
  blq docs list --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			p.Filter = strings.Join(args, "")
			by, err := a.askedAbout(c.Context(), questions.ListSources.Row)
			if err != nil {
				return err
			}
			return judge(c, a, by, questions.ListSources, p, func(list query.SourceList) error {
				return a.sourceList(list, p.Filter)
			}, nil)
		},
	}
	atFlag(c, &p.At)
	jsonFlags(c, a, query.SourceList{}, "print JSON")
	return c
}

// sourceList prints the available documentation, and the documentation that can be added.
func (a *app) sourceList(list query.SourceList, filter string) error {
	var installed, known [][]string
	for _, s := range list.Sources {
		if s.Command != "" {
			known = append(known, []string{s.Alias, s.Title, s.URL})
			continue
		}
		installed = append(installed, []string{a.style.paint(cyan, s.Alias), sourceSize(s), a.sourceFrom(s)})
	}
	if err := a.style.table(a.stdout, []string{"SOURCE", "SIZE", "FROM"}, installed); err != nil {
		return err
	}
	switch {
	case len(list.Sources) == 0 && filter != "":
		fmt.Fprintf(a.stderr, "blq: no source has %q in its name; blq docs list has all\n", filter)
	case len(installed) == 0 && filter == "":
		fmt.Fprintln(a.stderr, "blq: there is no documentation here; blq docs add NAME [URL] adds some")
	}
	if len(known) == 0 {
		return nil
	}
	a.section("blq docs add NAME fetches")
	return a.style.table(a.stdout, []string{"NAME", "TITLE", "URL"}, known)
}

func sourceSize(s query.Source) string {
	if s.Metadata == nil {
		return ""
	}
	return count(s.Metadata.Lines, "line") + ", " + count(s.Metadata.Headings, "heading")
}

// sourceFrom returns a text with the origin and the version of a source.
func (a *app) sourceFrom(s query.Source) string {
	if s.FetchedAt != "" {
		return fmt.Sprintf("%s  %s@%s of %s", s.URL, s.Alias, s.Version, a.localTime(s.FetchedAt))
	}
	from := "this repository"
	if s.Version != "" {
		from += " at " + s.Version
	}
	if s.Dirty {
		from += ", with uncommitted changes"
	}
	if s.ResolvedFrom != "" {
		from += fmt.Sprintf(", %s before", count(s.Distance, "commit"))
	}
	return from
}
