package mcp

import (
	"fmt"

	"github.com/blq-ci/blq/query"
)

type queryIn struct {
	SQL    string `json:"sql,omitempty" jsonschema:"SELECT over blq_load_events() or blq_load_runs(), in SQLite"`
	Filter string `json:"filter,omitempty" jsonschema:"or: severity=error,warning ref_file~test tool_name!=mypy"`
	Limit  int    `json:"limit,omitempty" jsonschema:"at most" default:"100" min:"1"`
	Offset int    `json:"offset,omitempty" jsonschema:"to skip" min:"0"`
	Budget
}

type queryOut struct {
	query.Table
	Truncation
	in queryIn
}

func (o *queryOut) parts() []part {
	all := len(o.Rows)
	rows := list(&o.Rows, func(n int) []query.Omission {
		if n == all && !o.More {
			return nil
		}
		return []query.Omission{{What: fmt.Sprintf("the rows after the first %d", o.in.Offset+n),
			Next: callLike("query", o.in, "offset", o.in.Offset+n)}}
	})
	keep := rows.keep
	rows.keep = func(n int) { keep(n); o.Count = n }
	return []part{rows}
}

// longestValue is the max size of a value in a row, in characters. Without it, a single value could fill the answer.
const longestValue = 4000

var queryTool = newTool(spec{
	name: "query",
	description: `Free questions over events and runs. Columns: ref, run_ref, run_id, source_name, severity, ref_file, ref_line, message, tool_name, category, code, test_name, fingerprint, pattern, git_branch, git_commit, started_at, status. ` +
		`Example: query(sql="SELECT ref_file, count(*) FROM blq_load_events() WHERE severity='error' GROUP BY 1").`,
}, runQuery)

func runQuery(c *call, in queryIn) (queryOut, error) {
	t, err := c.Asker.Query(
		c, query.QueryParams{SQL: in.SQL, Filter: in.Filter, Limit: min(in.Limit, maxItems), Offset: in.Offset})
	for _, row := range t.Rows {
		for i, v := range row {
			if s, ok := v.(string); ok {
				row[i] = clip(s, longestValue)
			}
		}
	}
	return queryOut{Table: t, in: in}, err
}
