package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/internal/lazyregexp"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

func newQuery(a *app) *cobra.Command {
	var p query.QueryParams
	c := &cobra.Command{
		Use:   "query [SQL]",
		Short: questions.Query.About,
		Long: `Query runs SQL (SQLite's dialect, read only) over two relations:

  blq_load_events()  ref, run_ref, run_id, event_id, source_name, severity, ref_file,
                     ref_line, ref_column, message, tool_name, category, code, test_name,
                     fingerprint, pattern, log_line, log_line_end, started_at, git_commit,
                     git_branch, status, repo
  blq_load_runs()    run_id, run_ref, source_name, command, status, state, exit_code,
                     signal, started_at, finished_at, duration_seconds, error_count,
                     warning_count, git_commit, git_branch, git_dirty, hostname, platform,
                     arch, cwd, attempt_id, ci, pr_number, repo

A filter is conditions separated by blanks: key=value, key=a,b for either, key!=value,
key~text for a part of it; "double quotes" keep blanks and commas together.`,
		Example: `  blq query "SELECT ref_file, COUNT(*) AS n FROM blq_load_events() WHERE severity='error' GROUP BY 1 ORDER BY n DESC"
  blq query --filter 'severity=error,warning ref_file~test tool_name!=mypy'`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				p.SQL = args[0]
			}
			if isFilter.MatchString(p.SQL) {
				return usage{store.Next(store.Errorf(store.Invalid, "%q is a filter, not SQL", p.SQL),
					store.NewCall("query", "", "filter", p.SQL))}
			}
			return reply(c, a, questions.Query, p, func(t query.Table) error {
				switch {
				case t.More && p.Limit == 0:
					fmt.Fprintf(a.stderr, "the first %s, as many as an answer can hold; select fewer rows or columns\n",
						count(t.Count, "row"))
				case t.More:
					fmt.Fprintf(a.stderr, "the first %s; all: %s\n", count(t.Count, "row"), again(c, args, "limit", "0"))
				}
				if s := t.Slice; s != nil {
					fmt.Fprintf(a.stderr, "of %s since %s with %s: the server reads no more at a time\n", count(s.Runs, "run"),
						s.Since, count(s.Events, "event"))
				}
				return a.rows(t)
			})
		},
	}
	c.Flags().StringVar(&p.Filter, "filter", "", "`FILTER` in place of SQL")
	limitFlag(c, &p.Limit, 100, "rows")
	jsonFlags(c, a, query.Table{}, "print JSON")
	return c
}

// isFilter matches text that can only be a filter.
var isFilter = lazyregexp.New(`^[a-z_]+(=|!=|~|!~)\S`)

func (a *app) rows(t query.Table) error {
	rows := make([][]string, len(t.Rows))
	for i, row := range t.Rows {
		for _, v := range row {
			rows[i] = append(rows[i], cell(v))
		}
	}
	if len(rows) == 0 {
		fmt.Fprintln(a.stderr, "no rows")
		return nil
	}
	return a.style.table(a.stdout, t.Columns, rows)
}

func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return strings.ReplaceAll(v, "\n", "⏎")
	}
	text, err := json.Marshal(v) // values are printed in the form of --json
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}
