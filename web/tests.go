package web

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// testsPage lists tests, or the runs of one test.
type testsPage struct {
	page
	query.Tests
	Asked query.TestsParams
}

const pageTests = 200

// listOfTests is a list of tests with its title.
type listOfTests struct {
	show query.TestsShow
	name string
}

var shows = []listOfTests{
	{query.TestsFailing, "failing"}, {query.TestsFlaky, "flaky"}, {query.TestsSlowest, "slowest"},
	{query.TestsChanged, "newly failing or fixed"}, {query.TestsNever, "never run"},
	{query.TestsHistory, "history of one"}, {showGrid, "history of many, as a grid"},
}

func tests(q *request) error {
	p := query.TestsParams{Show: query.TestsShow(q.r.FormValue("show")), Test: q.r.FormValue("test"),
		Source: q.r.FormValue("source"), Branch: q.r.FormValue("branch"), Repo: q.r.FormValue("repo"), Limit: pageTests}
	if p.Show == "" {
		p.Show = query.TestsFailing
	}
	if !slices.ContainsFunc(shows, func(l listOfTests) bool { return l.show == p.Show }) {
		return store.Hint(store.Errorf(store.Invalid, "there is no list of tests %.40q", p.Show),
			"the lists are failing, flaky, slowest, changed, never_run, history and grid")
	}
	if p.Show == showGrid {
		return grid(q, p)
	}
	if p.Show == query.TestsHistory && p.Test == "" {
		return q.show(q.page("Tests", "").layout(testsForm(p), h.P(g.Text("Name a test, or a part of its name."))))
	}
	answer, err := questions.Tests.Ask(q.context(), q.by, p)
	if err != nil {
		return err
	}
	return q.show(testsPage{q.page("Tests", ""), answer, p}.view())
}

// testsForm asks for a list of tests.
func testsForm(asked query.TestsParams) g.Node {
	options := []g.Node{}
	for _, s := range shows {
		options = append(options, h.Option(h.Value(string(s.show)), g.If(s.show == asked.Show, h.Selected()),
			g.Text(s.name)))
	}
	return h.Form(h.Class("filter"), h.Label(g.Text("Show "), h.Select(h.Name("show"), g.Group(options))),
		field("Test", "test", asked.Test), field("Source", "source", asked.Source),
		field("Branch", "branch", asked.Branch), hidden("repo", asked.Repo), h.Button(g.Text("Show")))
}

func (p testsPage) view() g.Node {
	return p.layout(
		testsForm(p.Asked),
		h.P(link(p.gridPath(), "All tests in the last runs, as a grid")),
		g.If(p.Looked > 0, h.P(g.Text(p.counts()))),
		g.If(p.Note != "", h.P(g.Text(sentence(p.Note)))),
		g.If(p.Asked.Show != query.TestsHistory && p.Looked > 0, p.list()),
		g.If(p.Asked.Show == query.TestsHistory, p.history()),
	)
}

// counts returns a text with the numbers of results and runs. For flaky tests and for tests that never ran, it leaves
// out the results, because these lists are made from many runs.
func (p testsPage) counts() string {
	text := fmt.Sprintf("%d passed, %d failed, %d skipped, in %s.", p.Counts.Passed, p.Counts.Failed, p.Counts.Skipped,
		count(p.Looked, "run"))
	if p.Asked.Show == query.TestsFlaky || p.Asked.Show == query.TestsNever {
		text = fmt.Sprintf("In the last %s.", count(p.Looked, "run"))
	}
	if p.Asked.Show == query.TestsFlaky {
		text += " Passed and failed runs are counted at commits with both."
	}
	if len(p.Tests.Tests) < p.Total {
		text += fmt.Sprintf(" The first %d of %d are listed.", len(p.Tests.Tests), p.Total)
	}
	return text
}

// gridPath returns the URL of the grid of the tests on this page.
func (p testsPage) gridPath() string {
	to := "/tests?show=" + string(showGrid)
	for _, part := range [][2]string{{"source", p.Asked.Source}, {"branch", p.Asked.Branch}, {"repo", p.Asked.Repo}} {
		if part[1] != "" {
			to += "&" + parameterOf(part[0], part[1])
		}
	}
	return to
}

// testColumn is a column of a list of tests. cell returns nil if the test has nothing for the column.
type testColumn struct {
	name string
	cell func(query.TestAnswer) g.Node
}

// textIf returns a text, or nil if it is "".
func textIf(text string) g.Node {
	if text == "" {
		return nil
	}
	return g.Text(text)
}

// testColumns are the columns after the name of the test.
var testColumns = []testColumn{
	{"File", func(t query.TestAnswer) g.Node { return g.If(t.File != "", named(code(t.File))) }},
	{"Outcome", func(t query.TestAnswer) g.Node { return textIf(cmp.Or(t.Change, t.Outcome)) }},
	{"Pull requests hurt", func(t query.TestAnswer) g.Node { return textIf(number(t.PRs)) }},
	{"Passed in runs", func(t query.TestAnswer) g.Node { return textIf(number(t.Passed)) }},
	{"Failed in runs", func(t query.TestAnswer) g.Node { return textIf(number(t.Failed)) }},
	{"Commits with both", func(t query.TestAnswer) g.Node { return g.If(len(t.Commits) > 0, commits(t.Commits)) }},
	{"Time", func(t query.TestAnswer) g.Node {
		return g.Iff(t.Seconds > 0, func() g.Node { return g.Text(seconds(t.Seconds)) })
	}},
	{"Run", func(t query.TestAnswer) g.Node { return g.If(t.Run != "", named(runLink(t.Run))) }},
}

// list shows the tests as a table. It leaves out columns that are empty in all rows.
func (p testsPage) list() g.Node {
	list := p.Tests.Tests
	if len(list) == 0 {
		return h.P(g.Text("None."))
	}
	names := []string{"Test"}
	cells := make([][]g.Node, len(list))
	for _, c := range testColumns {
		if !slices.ContainsFunc(list, func(t query.TestAnswer) bool { return c.cell(t) != nil }) {
			continue
		}
		names = append(names, c.name)
		for i, t := range list {
			cells[i] = append(cells[i], c.cell(t))
		}
	}
	rows := make([]g.Node, len(list))
	for i, t := range list {
		rows[i] = row(p.ofTest(cmp.Or(t.Repo, repoOf(t.Run)), t.Test, t.File), cells[i]...)
	}
	return table("Tests", names, rows)
}

// commits shows the commits at which a test failed and passed.
func commits(list []string) g.Node {
	return g.Map(list, func(c string) g.Node { return g.Group{code(short(c)), g.Text(" ")} })
}

// ofTest returns a link to the history of a test. The link contains the file, because tests in several files may have
// the same name.
func (p testsPage) ofTest(repo, name, file string) g.Node {
	to := "/tests?show=history&" + parameterOf("test", strings.TrimSuffix(name+" "+file, " "))
	if repo = cmp.Or(p.Asked.Repo, repo); repo != "" {
		to += "&" + parameterOf("repo", repo)
	}
	return link(to, name)
}

// history shows the runs in which one test ran, as a strip and as a table.
func (p testsPage) history() g.Node {
	var rows, squares []g.Node
	for i, r := range slices.Backward(p.Runs) {
		class := map[string]string{"passed": "ok", "skipped": "silent"}[r.Outcome]
		if class == "" {
			class = "bad"
		}
		squares = append(squares, g.El("rect", h.Class(class), g.Attr("x", strconv.Itoa(sparkStep*(len(p.Runs)-1-i))),
			g.Attr("y", "0"), h.Width(strconv.Itoa(barWidth)), h.Height("12"),
			g.El("title", g.Text(r.Run+": "+r.Outcome))))
	}
	for _, r := range p.Runs {
		took := ""
		if r.Seconds > 0 {
			took = seconds(r.Seconds)
		}
		rows = append(rows, row(runLink(r.Run), g.Text(r.Outcome), g.Text(number(r.Tries)), g.Text(took),
			g.Text(when(r.Time))))
	}
	if len(p.Tests.Tests) > 1 {
		return g.Group{h.P(g.Text("Several tests have this text in their names:")), p.list()}
	}
	if len(rows) == 0 {
		return h.P(g.Text("No run of such a test is known. Part of its name is enough."))
	}
	return g.Group{
		g.Map(p.Tests.Tests, func(t query.TestAnswer) g.Node {
			return h.H2(g.Text(t.Test), g.If(t.File != "", g.Group{g.Text(" in "), code(t.File)}))
		}),
		h.P(h.SVG(h.Class("spark"), sized(sparkStep*len(squares), 12), h.Role("img"),
			h.Aria("label", "Runs of the test, oldest first; the table has them in words"), g.Group(squares))),
		table("Runs of the test", []string{"Run", "Outcome", "Attempts", "Time", "Started"}, rows)}
}
