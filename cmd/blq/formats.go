package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/ingest/parse/formats"
)

// formatList is the answer of the command formats.
type formatList struct {
	Formats []formatRow `json:"formats"`
}

type formatRow struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

func newFormats(a *app) *cobra.Command {
	var markdown bool
	c := &cobra.Command{
		Use:     "formats",
		Short:   "List the formats that are recognised",
		Example: `  blq formats`,
		RunE: func(*cobra.Command, []string) error {
			list := make([]formatRow, 0, len(formats.All().Formats()))
			rows := make([][]string, 0, len(formats.All().Formats()))
			for _, f := range formats.All().Formats() {
				list = append(list, formatRow{f.Name, f.About})
				rows = append(rows, []string{f.Name, f.About})
			}
			switch {
			case a.form.json:
				return a.json(formatList{list})
			case markdown:
				fmt.Fprint(a.stdout, "| format | reads |\n| --- | --- |\n")
				for _, f := range list {
					fmt.Fprintf(a.stdout, "| %s | %s |\n", f.Name, strings.ReplaceAll(f.About, "|", `\|`))
				}
				return nil
			}
			return a.style.table(a.stdout, []string{"FORMAT", "READS"}, rows)
		},
	}
	jsonFlags(c, a, formatList{}, "print JSON")
	c.Flags().BoolVar(&markdown, "markdown", false, "print a Markdown table")
	return c
}
