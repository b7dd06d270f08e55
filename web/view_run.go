package web

import (
	"fmt"
	"strconv"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/blq-ci/blq/query"
)

func (p homePage) view() g.Node {
	var rows []g.Node
	for _, s := range p.Sources {
		left := g.Node(nil)
		if s.LeftOut != "" {
			left = h.Small(g.Text(" does not count: " + s.LeftOut))
		}
		rows = append(rows, row(runLink(refOf(s.Repo, s.Name, s.RunID)), g.Group{result(s.Status), left},
			g.Text(strconv.Itoa(s.Errors)), g.Text(strconv.Itoa(s.Warnings)), g.Text(s.Branch), g.Text(when(s.LastRun))))
	}
	return p.layout(
		h.H2(g.Text("Newest run of each source")),
		table("Sources", []string{"Source", "Result", "Errors", "Warnings", "Branch", "Started"}, rows),
		h.H2(g.Text("Last runs")),
		runTable(p.Runs),
	)
}

func (p runsPage) view() g.Node {
	f := p.Filter
	results := []g.Node{h.Option(h.Value(""), g.Text("any"))}
	for _, s := range p.Results {
		results = append(results, h.Option(g.If(s == f.Status, h.Selected()), g.Text(string(s))))
	}
	return p.layout(
		h.Form(h.Class("filter"), field("Source", "source", f.Source), field("Branch", "branch", f.Branch),
			field("Pull request", "pr", number(f.PR), digits(6)), field("Commit", "commit", f.Commit),
			h.Label(g.Text("Result "), h.Select(h.Name("result"), g.Group(results))), h.Button(g.Text("Show"))),
		runTable(p.Runs),
		g.If(p.Before > 0, h.Form(h.Class("filter"), hidden("source", f.Source), hidden("branch", f.Branch),
			hidden("commit", f.Commit), hidden("result", string(f.Status)), hidden("pr", number(f.PR)),
			hidden("before", number(p.Before)), h.Button(g.Text("Earlier runs")))),
	)
}

func (p runPage) view() g.Node {
	p.Heading = g.Group{result(p.Info.Status), g.Text(" " + p.Ref)}
	return p.layout(
		h.P(h.Class("verdict"), g.Text(p.Verdict)),
		p.compared(),
		h.Div(h.Class("columns"),
			h.Section(h.Aria("label", "Errors"),
				h.H2(g.Text(p.errorsTitle())),
				h.Ol(h.Class("errors"), g.Map(p.Groups, p.group)),
				p.counts(),
				h.H2(g.Text("Facts")),
				p.facts(),
				g.Iff(len(p.Others) > 0, p.others),
				h.P(link("/runs?"+query1("source", p.Info.Source), "Runs of "+p.Info.Source)),
			),
			h.Section(h.Aria("label", "Log"), g.If(p.Live, g.Attr("data-live")), h.H2(g.Text("Log")), p.Log.view()),
		),
	)
}

func (p runPage) errorsTitle() string {
	if len(p.Groups) == 0 {
		return "No errors"
	}
	return "Errors"
}

// compared says what the run is compared with, or why it is not.
func (p runPage) compared() g.Node {
	if p.Baseline.RunRef == "" {
		return g.If(p.Baseline.Reason != "", h.P(g.Text("Not compared: "+p.Baseline.Reason)))
	}
	return h.P(g.Text("Compared with "), runLink(p.Baseline.RunRef), g.Text(". "),
		link(refPath("compare", p.Ref), "What changed"))
}

// group shows errors that look alike.
func (p runPage) group(e errorGroup) g.Node {
	about := []g.Node{g.Text(e.Sample.Tool + " " + e.Sample.Code)}
	if e.OnBase != "" {
		about = append(about, g.Text(" · also in "), runLink(e.OnBase))
	}
	if e.FirstSeen != nil {
		about = append(about, g.Text(" · first in "), runLink(e.FirstSeen.RunRef), g.Text(" "+when(e.FirstSeen.Time)))
	}
	if e.Line > 0 {
		about = append(about, g.Text(" · "), link(logPath(p.Ref, "", e.Line), fmt.Sprintf("line %d of the log", e.Line)))
	}
	tags := []g.Node{tag(e.Kind)}
	if e.Count > 1 {
		tags = append(tags, tag(fmt.Sprintf("%d alike", e.Count)))
	}
	if e.Flaky != nil {
		tags = append(tags, tag(fmt.Sprintf("flaky: %d of %d runs", e.Flaky.Failed, e.Flaky.Runs)))
	}
	if e.Returned {
		tags = append(tags, tag("back"))
	}
	return h.Li(h.Class(e.Kind),
		h.P(g.Map(tags, func(t g.Node) g.Node { return g.Group{t, g.Text(" ")} })),
		h.P(eventLink(e.Sample.Ref, e.Sample.Location, e.Sample.Message)),
		h.P(h.Small(g.Group(about))))
}

// eventLink shows the place and message of an event, with a link if it has a ref.
func eventLink(ref, place, message string) g.Node {
	text := g.Group{g.If(place != "", g.Group{code(place), g.Text(" ")}), g.Text(message)}
	if ref == "" {
		return text
	}
	return h.A(h.Href(refPath("event", ref)), text)
}

// counts links to all errors and warnings.
func (p runPage) counts() g.Node {
	errors := refPath("errors", p.Ref)
	return h.P(g.If(p.Info.Errors > 0, link(errors, count(p.Info.Errors, "error"))), g.Text(" "),
		g.If(p.Info.Warnings > 0, link(errors+"?severity=warning", count(p.Info.Warnings, "warning"))))
}

func (p runPage) facts() g.Node {
	var list []g.Node
	add := func(name string, value ...g.Node) { list = append(list, h.Dt(g.Text(name)), h.Dd(g.Group(value))) }
	info := p.Info
	add("Command", code(info.Command))
	if info.ExitCode != nil {
		note := ""
		if info.ExitNote != "" {
			note = ": " + info.ExitNote
		}
		add("Exit code", g.Text(strconv.Itoa(*info.ExitCode)+note))
	}
	if info.Signal != "" {
		add("Signal", g.Text(info.Signal))
	}
	usual := ""
	if p.Usual.Usual != "" {
		usual = ", " + p.Usual.Usual + " "
	}
	add("Time", g.Text(seconds(info.Seconds)+usual), p.Usual.view())
	add("Started", g.Text(when(info.Started)))
	if info.Branch != "" {
		add("Branch", link("/runs?"+query1("branch", info.Branch), info.Branch))
	}
	if info.Commit != "" {
		add("Commit", code(short(info.Commit)), g.If(info.Dirty, g.Text(" with uncommitted changes")))
	}
	if info.Cwd != "" {
		add("Folder", code(info.Cwd))
	}
	if info.Lost != "" {
		add("Not recorded", g.Text(info.Lost))
	}
	return h.Dl(g.Group(list))
}

func (p runPage) others() g.Node {
	return g.Group{h.H2(g.Text("Other steps that are not green")), h.Ul(g.Map(p.Others, func(o query.OtherRun) g.Node {
		return h.Li(runLink(o.RunRef), g.Text(" "), result(o.Status), g.Text(" "+count(o.Errors, "error")))
	}))}
}

// view draws the bars. Their values stand in the label.
func (s sparkline) view() g.Node {
	if len(s.Bars) == 0 {
		return nil
	}
	return h.SVG(h.Class("spark"), h.Width(strconv.Itoa(s.Width)), h.Height(strconv.Itoa(s.Height)), h.Role("img"),
		h.Aria("label", "Last runs: "+s.Text), g.Map(s.Bars, func(b bar) g.Node {
			return g.El("rect", h.Class(b.Class), g.Attr("x", strconv.Itoa(b.X)), g.Attr("y", strconv.Itoa(b.Y)),
				h.Width(strconv.Itoa(b.Width)), h.Height(strconv.Itoa(b.Height)), g.El("title", g.Text(b.Title)))
		}))
}
