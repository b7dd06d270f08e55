package web

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// trender is implemented by a Source that knows the history of steps. A Source for a remote server is no trender.
type trender interface {
	Dashboard(ctx context.Context, p query.DashboardParams) (query.Dashboard, error)
}

// sourcesPage shows the state of each source on each branch, or the history of one source.
type sourcesPage struct {
	page
	query.Dashboard
	Asked query.DashboardParams
}

const (
	maxSources = 200 // max sources and branches on the overview
	maxTrends  = 12  // max steps with plots on a page
	trendRuns  = 100 // max runs in a plot of a step
)

func sources(q *request) error {
	by, ok := q.by.(trender)
	if !ok {
		return notFound(q.w, q.r)
	}
	asked := query.DashboardParams{Repo: q.r.FormValue("repo"), Source: q.r.FormValue("source"),
		Branch: q.r.FormValue("branch"), Runs: sparkRuns, Rows: maxSources}
	title := "Sources"
	if asked.Source != "" {
		asked.Steps, asked.Runs, asked.Rows = true, trendRuns, maxTrends
		title = "Trends of " + asked.Source
	}
	d, err := by.Dashboard(q.context(), asked)
	if err != nil {
		return err
	}
	return q.show(sourcesPage{q.page(title, ""), d, asked}.view())
}

// sourcePath returns the URL of the trends of a source. The branch "" means all branches.
func sourcePath(repo, source, branch string) string {
	to := "/sources?" + parameterOf("source", source)
	if branch != "" {
		to += "&" + parameterOf("branch", branch)
	}
	if repo != "" {
		to += "&" + parameterOf("repo", repo)
	}
	return to
}

func (p sourcesPage) view() g.Node {
	body := g.Node(nil)
	if p.Asked.Source == "" {
		body = p.overview()
	} else {
		body = p.plots()
	}
	return p.layout(
		h.Form(h.Class("filter"), field("Source", "source", p.Asked.Source), field("Branch", "branch", p.Asked.Branch),
			hidden("repo", p.Asked.Repo), h.Button(g.Text("Show"))),
		g.Map(p.notes(), func(note string) g.Node { return h.P(g.Text(note)) }), body,
	)
}

// notes returns sentences about runs and steps that the page leaves out.
func (p sourcesPage) notes() []string {
	var notes []string
	if p.More {
		notes = append(notes, fmt.Sprintf("The last %d runs are counted, and the newest run of each step.", p.Looked))
	}
	if p.Unknown {
		notes = append(notes, "There are more steps than were looked at. Name a source or a branch to see all of its steps.")
	}
	if p.Left > 0 {
		note := fmt.Sprintf("%d of %d are shown: red ones first, then the newest. ", len(p.Rows), len(p.Rows)+p.Left)
		if p.Red > 0 {
			note += fmt.Sprintf("%d of the others are red, too. ", p.Red)
		}
		notes = append(notes, note+"Name a source or a branch to see them.")
	}
	return notes
}

// overview returns a table with a row for each source and branch.
func (p sourcesPage) overview() g.Node {
	several := slices.ContainsFunc(p.Rows, func(t query.Trend) bool { return t.Repo != p.Rows[0].Repo })
	var rows []g.Node
	for _, t := range p.Rows {
		name := t.Source
		if several {
			name = t.Repo + " " + name
		}
		rows = append(rows, row(link(sourcePath(t.Repo, t.Source, t.Branch), name), named(g.Text(t.Branch)), trend(t).view(),
			outcomes(t.Runs), g.Text(usual(t.Runs)), g.Text(when(t.Worst.Started))))
	}
	return table("Sources", []string{"Source", "Branch", "Now", "Last runs that ended", "Time", "Started"}, rows)
}

type trend query.Trend

// view shows the state of a source: the state of the source's worst run, and the runs that do not count.
func (t trend) view() g.Node {
	return g.Group{result(t.Worst.Status), g.Text(" "), runLink(t.Worst.RunRef),
		g.If(t.LeftOut != "", h.Small(g.Text(" does not count: "+t.LeftOut))), retired(t.Retired)}
}

// retired names runs that do not count.
func retired(runs []query.OtherRun) g.Node {
	return g.Map(runs, func(o query.OtherRun) g.Node {
		return h.Div(result(o.Status), g.Text(" "), runLink(o.RunRef), h.Small(g.Text(" does not count: "+o.LeftOut)))
	})
}

// outcomes draws a strip with a square for each run.
func outcomes(runs []query.Point) g.Node {
	if len(runs) == 0 {
		return g.Text("none")
	}
	bad := 0
	squares := make([]square, len(runs))
	for i, r := range runs {
		if r.Status != store.StatusOK {
			bad++
		}
		squares[i] = square{r.RunRef, verdictOf(r.Status), word(r.Status)}
	}
	return squaresOf(squares, fmt.Sprintf("%d of %s red", bad, count(len(runs), "run")))
}

// usual returns a text with the median duration of runs. It ignores runs that did not end by themselves.
func usual(runs []query.Point) string {
	var all []float64
	for _, r := range runs {
		if r.Status == store.StatusOK || r.Status == store.StatusFail {
			all = append(all, r.Seconds)
		}
	}
	if len(all) == 0 {
		return ""
	}
	slices.Sort(all)
	return "median " + seconds((all[(len(all)-1)/2]+all[len(all)/2])/2)
}

// plots shows the history of a source's steps.
func (p sourcesPage) plots() g.Node {
	return g.Group{
		g.Map(p.Rows, p.plot),
		h.P(link("/sources"+p.onlyRepo(), "All sources")),
	}
}

func (p sourcesPage) onlyRepo() string {
	if p.Asked.Repo == "" {
		return ""
	}
	return "?" + parameterOf("repo", p.Asked.Repo)
}

// plot shows the history of a step on a branch: the durations and the numbers of errors of its runs, as plots and as a
// table.
func (p sourcesPage) plot(t query.Trend) g.Node {
	title := cmp.Or(t.Branch, "without a branch")
	var times, errors []bar
	var rows []g.Node
	for i, r := range t.Runs {
		times = append(times, bar{value: r.Seconds, Class: verdictOf(r.Status), Title: r.RunRef + ": " + seconds(r.Seconds)})
		errors = append(errors, bar{value: float64(r.Errors), Class: verdictOf(r.Status),
			Title: r.RunRef + ": " + count(r.Errors, "error")})
		last := t.Runs[len(t.Runs)-1-i]
		rows = append(rows, row(runLink(last.RunRef), result(last.Status), g.Text(seconds(last.Seconds)),
			g.Text(strconv.Itoa(last.Errors)), g.Text(strconv.Itoa(last.Warnings)), code(short(last.Commit)),
			g.Text(when(last.Started))))
	}
	return h.Section(h.Aria("label", title), h.H2(g.Text(title)), h.Div(commandOf(t.Step)), h.P(trend(t).view()),
		g.If(len(rows) == 0, h.P(g.Text("No run has ended."))),
		g.Iff(len(rows) > 0, func() g.Node {
			return g.Group{
				plotView("Time", times, seconds),
				plotView("Errors", errors, func(n float64) string { return count(int(n), "error") }),
				h.Details(h.Summary(g.Text("Numbers")), table("Runs of "+title,
					[]string{"Run", "Result", "Time", "Errors", "Warnings", "Commit", "Started"}, rows)),
			}
		}))
}

const plotHeight = 80

// plotView draws bars below the highest value.
func plotView(name string, bars []bar, say func(float64) string) g.Node {
	highest, lowest := bars[0].value, bars[0].value
	for _, b := range bars {
		highest, lowest = max(highest, b.value), min(lowest, b.value)
	}
	caption := fmt.Sprintf("%s of %s, oldest first: from %s to %s", name, count(len(bars), "run"), say(lowest),
		say(highest))
	if len(bars) == 1 {
		caption = name + " of the only run: " + say(highest)
	}
	shapes := make(g.Group, len(bars))
	for i, b := range bars {
		height := 1
		if highest > 0 {
			height = max(1, int(plotHeight*b.value/highest))
		}
		shapes[i] = g.El("rect", h.Class(b.Class), g.Attr("x", strconv.Itoa(sparkStep*i)),
			g.Attr("y", strconv.Itoa(plotHeight-height)), h.Width(strconv.Itoa(barWidth)), h.Height(strconv.Itoa(height)),
			g.El("title", g.Text(b.Title)))
	}
	return g.El("figure", g.El("figcaption", g.Text(caption)), h.SVG(h.Class("plot"),
		g.Attr("viewBox", fmt.Sprintf("0 0 %d %d", sparkStep*max(20, len(bars)), plotHeight)),
		g.Attr("preserveAspectRatio", "none"), h.Role("img"), h.Aria("label", caption), shapes))
}
