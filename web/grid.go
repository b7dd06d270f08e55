package web

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// gridder is implemented by sources that know the results of tests in many runs. A remote service cannot be such a
// source.
type gridder interface {
	Grid(ctx context.Context, p query.GridParams) (query.Grid, error)
}

// gridPage shows the results of tests in the last runs of a source.
type gridPage struct {
	page
	query.Grid
	Asked query.TestsParams
}

const (
	showGrid  = query.TestsShow("grid") // this value occurs only in pages
	gridTests = 200
	gridRuns  = 100
)

func grid(q *request, p query.TestsParams) error {
	by, ok := q.by.(gridder)
	if !ok {
		return notFound(q.w, q.r)
	}
	answer, err := by.Grid(q.context(), query.GridParams{Repo: p.Repo, Source: p.Source, Branch: p.Branch, Test: p.Test,
		Tests: gridTests, Runs: gridRuns})
	if err != nil {
		return err
	}
	return q.show(gridPage{q.page("Tests", ""), answer, p}.view())
}

func (p gridPage) view() g.Node {
	if len(p.Rows) == 0 {
		return p.layout(testsForm(p.Asked), h.P(g.Text("No run has results of such tests. They are read from reports, and "+
			"from output that names each test.")))
	}
	first, last := p.Runs[0], p.Runs[len(p.Runs)-1]
	about := fmt.Sprintf("How %s ended in %s of %s, oldest first: ", count(len(p.Rows), "test"), count(len(p.Runs), "run"),
		p.Source)
	note := ""
	if len(p.Rows) < p.Total {
		note = fmt.Sprintf("There are %d tests. Those that failed most are here; name a part of a test to see others. ",
			p.Total)
	}
	links := testsPage{Asked: p.Asked}
	return p.layout(
		testsForm(p.Asked),
		h.P(g.Text(about), runLink(first.RunRef), g.Text(" to "), runLink(last.RunRef),
			g.Text(". "+note+"A row has only the "+
				"runs in which its test ran. Tall red marks are failures, green ones passed, orange ones failed and passed when "+
				"tried again, low grey ones were skipped. The last column says the same in words, by the numbers of the runs.")),
		h.Div(h.Class("scroll"), h.Role("region"), h.Aria("label", "Tests and runs"), h.TabIndex("0"),
			h.Table(h.Class("grid"),
				h.THead(h.Tr(h.Th(h.Scope("col"), g.Text("Test")), h.Th(h.Scope("col"), g.Text("Runs")),
					h.Th(h.Scope("col"), g.Text("In words")))),
				h.TBody(g.Map(p.Rows, func(r query.GridRow) g.Node {
					return h.Tr(h.Th(h.Scope("row"), links.ofTest(repoOf(first.RunRef), r.Test, r.File), p.file(r)),
						h.Td(gridMarks(r)), h.Td(g.Text(p.words(r)), p.newest(r)))
				})))),
		h.Details(h.Summary(g.Text("The runs")), h.P(g.Map(p.Runs, func(r query.GridRun) g.Node {
			return g.Group{runLink(r.RunRef), g.Text(" ")}
		}))),
	)
}

// file returns the file of a test if another test of the grid has the same name.
func (p gridPage) file(r query.GridRow) g.Node {
	for _, other := range p.Rows {
		if other.Test == r.Test && other.File != r.File {
			return g.Group{g.Text(" "), code(r.File)}
		}
	}
	return nil
}

// newest returns a link to the newest run in which a test failed.
func (p gridPage) newest(r query.GridRow) g.Node {
	for i := len(r.Cells) - 1; i >= 0; i-- {
		if c := r.Cells[i]; c.Outcome.Failed() {
			return g.Group{g.Text(" "), link(runPath(p.Runs[c.Run].RunRef), "last failure")}
		}
	}
	return nil
}

// gridState is a state of a test in a run, with the mark that shows this state in the grid.
type gridState struct {
	class string // class of the path that draws the mark
	word  string
	is    func(query.GridCell) bool
}

// gridStates holds the states in the order of descriptions.
var gridStates = []gridState{
	{"bad", "failed in", func(c query.GridCell) bool { return c.Outcome.Failed() }},
	{"going", "failed first and passed in", func(c query.GridCell) bool { return c.Retried }},
	{"silent", "skipped in", func(c query.GridCell) bool { return c.Outcome == store.TestSkipped }},
	{"dim", "failed by the machine in", func(c query.GridCell) bool { return c.Outcome == store.TestInfra }},
	{"ok", "passed in", func(c query.GridCell) bool { return c.Outcome == store.TestPassed && !c.Retried }},
}

// gridMarks draws a mark for each run of a row. It draws consecutive marks of the same kind as one dashed line, so that
// the page of a large grid is small.
func gridMarks(r query.GridRow) g.Node {
	var paths g.Group
	for _, s := range gridStates {
		var d strings.Builder
		for i := 0; i < len(r.Cells); i++ {
			if !s.is(r.Cells[i]) {
				continue
			}
			from := i
			for i+1 < len(r.Cells) && s.is(r.Cells[i+1]) {
				i++
			}
			d.WriteString("M" + strconv.Itoa(sparkStep*from) + " 6h" + strconv.Itoa(sparkStep*(i-from)+barWidth))
		}
		if d.Len() > 0 {
			paths = append(paths, g.El("path", h.Class(s.class), g.Attr("d", d.String())))
		}
	}
	return h.SVG(h.Width(strconv.Itoa(sparkStep*len(r.Cells))), h.Height("12"), h.Aria("hidden", "true"), paths)
}

// words returns a description of the marks of a row. Consecutive runs with the same mark form a range of numbers.
func (p gridPage) words(r query.GridRow) string {
	var parts []string
	for _, s := range gridStates {
		if list := p.ranges(r, s); list != "" {
			parts = append(parts, s.word+" "+list)
		}
	}
	return strings.Join(parts, "; ")
}

// ranges returns the numbers of the runs in which a test had a state, as text such as "3, 7–12". A range such as 7–12
// means all runs of the row from 7 to 12.
func (p gridPage) ranges(r query.GridRow, s gridState) string {
	var b strings.Builder
	for i := 0; i < len(r.Cells); i++ {
		if !s.is(r.Cells[i]) {
			continue
		}
		from := i
		for i+1 < len(r.Cells) && s.is(r.Cells[i+1]) {
			i++
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(p.Runs[r.Cells[from].Run].Serial))
		if i > from {
			b.WriteString("–" + strconv.Itoa(p.Runs[r.Cells[i].Run].Serial))
		}
	}
	return b.String()
}
