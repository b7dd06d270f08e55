package web

import (
	"fmt"
	"strconv"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

func (p homePage) view() g.Node {
	var rows []g.Node
	for _, s := range p.Sources {
		left := g.Node(nil)
		if s.LeftOut != "" {
			left = h.Small(g.Text(" does not count: " + s.LeftOut))
		}
		rows = append(rows, row(runLink(refOf(s.Repo, s.Name, s.RunID)), g.Group{result(s.Status), left},
			g.Text(strconv.Itoa(s.Errors)), g.Text(strconv.Itoa(s.Warnings)), named(g.Text(s.Branch)), g.Text(when(s.LastRun))))
	}
	return p.layout(
		h.H2(g.Text("Newest run of each source")),
		table("Sources", []string{"Source", "Result", "Errors", "Warnings", "Branch", "Started"}, rows),
		retired(p.Retired),
		h.H2(g.Text("Last runs")),
		runTable(p.Runs),
	)
}

// earlierElsewhere returns a note that says where to find earlier runs. If across is true, a list shows runs of all
// repositories, and has no further pages. If across is false, the note is empty.
func earlierElsewhere(across bool) g.Node {
	return g.If(across, h.P(g.Text("These are the newest runs of all repositories. The pages of a "),
		link("/", "repository"), g.Text(" have its earlier runs.")))
}

func (p runsPage) view() g.Node {
	f := p.Filter
	options := []g.Node{h.Option(h.Value(""), g.Text("any"))}
	for _, s := range results {
		options = append(options, h.Option(g.If(s == f.Status, h.Selected()), g.Text(string(s))))
	}
	return p.layout(
		h.Form(h.Class("filter"), field("Source", "source", f.Source), field("Branch", "branch", f.Branch),
			field("Pull request", "pr", number(f.PR), digits(6)), field("Commit", "commit", f.Commit),
			h.Label(g.Text("Result "), h.Select(h.Name("result"), g.Group(options))), hidden("repo", f.Repo),
			h.Button(g.Text("Show"))),
		runTable(p.Runs), earlierElsewhere(p.Across),
		g.If(p.Before > 0, h.Form(h.Class("filter"), hidden("source", f.Source), hidden("branch", f.Branch),
			hidden("commit", f.Commit), hidden("result", string(f.Status)), hidden("pr", number(f.PR)),
			hidden("repo", f.Repo), hidden("before", number(p.Before)), h.Button(g.Text("Earlier runs")))),
	)
}

// places holds functions that return the targets of links in a run's page. If a function returns "", the page has no
// such link.
type places struct {
	run   func(ref string) string
	error func(errorGroup) string
	line  func(errorGroup) string // returns the URL of the log line of a group
	known func(errorGroup) string // returns the URL of the page about an error
	runs  func(parameter, value string) string
}

// served returns the link targets for a page on a server.
func (p runPage) served() places {
	return places{
		run:   runPath,
		error: func(e errorGroup) string { return eventPath(e.Sample.Ref) },
		line:  func(e errorGroup) string { return logPath(p.Ref, e.At.Stream, e.At.Line) },
		known: func(e errorGroup) string { return PathOfFingerprint(repoOf(p.Ref), e.Sample.Fingerprint) },
		runs: func(parameter, value string) string {
			to := "/runs?" + parameterOf(parameter, value)
			if repo := repoOf(p.Ref); repo != "" {
				to += "&" + parameterOf("repo", repo)
			}
			return to
		},
	}
}

// linkIf returns a link. If the address is "", it returns only the text of the link.
func linkIf(address string, text ...g.Node) g.Node {
	if address == "" {
		return g.Group(text)
	}
	return h.A(href(address), g.Group(text))
}

func (p runPage) view() g.Node {
	p.Heading = g.Group{result(p.Info.Status), g.Text(" " + p.Ref)}
	to := p.served()
	return p.layout(
		h.P(h.Class("verdict"), g.Text(p.verdict())),
		p.compared(to),
		h.Div(h.Class("columns"),
			h.Section(h.Aria("label", "Errors"), p.errors(to), p.counts(), p.causes(), p.promptView()),
			h.Section(h.Aria("label", "Log"), g.If(p.Live, g.Attr("data-live")), h.H2(g.Text("Log")), p.Log.view()),
			h.Section(h.Aria("label", "Facts"), p.facts(to), p.others(to), p.elsewhere(to)),
		),
	)
}

// verdict returns the verdict for a page. The page of a running run follows the run. So its verdict does not tell the
// reader to ask again.
func (p runPage) verdict() string {
	if !p.Live {
		return p.Verdict
	}
	return strings.Replace(p.Verdict, ": ask again when it has ended", "", 1)
}

// elsewhere returns links to other pages about the source of the run.
func (p runPage) elsewhere(to places) g.Node {
	return g.Group{
		h.P(link(to.runs("source", p.Info.Source), "Runs of "+p.Info.Source), g.Text(" · "),
			link(sourcePath(repoOf(p.Ref), p.Info.Source, ""), "trends"), g.Text(" · "),
			link(refPath("upload", p.Ref), p.unread())),
		g.If(p.Failed != "", h.P(keyLink("f", runPath(p.Failed), "The failed run before"))),
	}
}

// unread returns the text of the link to the lines that mention a failure but belong to no event.
func (p runPage) unread() string {
	if p.Arrived == nil || p.Arrived.Unread == nil {
		return "what was not understood"
	}
	return count(*p.Arrived.Unread, "line") + " not understood"
}

// compared shows the baseline of the run and why it was chosen, or the reason why there is none.
func (p runPage) compared(to places) g.Node {
	if p.Baseline.RunRef == "" {
		return g.If(p.Baseline.Reason != "", h.P(g.Text("Not compared: "+p.Baseline.Reason)))
	}
	base := to.run(p.Baseline.RunRef)
	return h.P(g.Text("Compared with "), linkIf(base, g.Text(p.Baseline.RunRef)), g.Text(chosen(p.Baseline)+". "),
		g.If(base != "", link(refPath("compare", p.Ref), "What changed")))
}

// chosen says why a run is the baseline.
func chosen(b query.BaselineNote) string {
	on, at := "", ""
	if b.Branch != "" {
		on = " on " + b.Branch
	}
	if b.Commit != "" {
		at = " at " + short(b.Commit)
	}
	switch b.Kind {
	case store.BaselineGiven:
		return ", as asked"
	case store.BaselineMergeBase:
		return on + at + ", where this branch starts"
	case store.BaselineBranch:
		return ", the newest run" + on + " before this branch starts"
	case store.BaselinePrevious:
		return ", the run before it" + on
	}
	return ""
}

// errors lists the groups of errors.
func (p runPage) errors(to places) g.Node {
	title := "Errors"
	switch {
	case len(p.Groups) == 0 && p.Info.IsRunning:
		title = "No errors so far"
	case len(p.Groups) == 0:
		title = "No errors"
	}
	return g.Group{h.H2(g.Text(title)), g.If(len(p.Groups) > 0, h.Ol(h.Class("errors"),
		g.Map(p.Groups, func(e errorGroup) g.Node { return e.view(to) })))}
}

// view shows a group of errors.
func (e errorGroup) view(to places) g.Node {
	about := []g.Node{g.Text(e.Sample.Tool + " " + e.Sample.Code)}
	if e.OnBase != "" {
		about = append(about, g.Text(" · also in "), linkIf(to.run(e.OnBase), g.Text(e.OnBase)))
	}
	if e.FirstSeen != nil {
		about = append(about, g.Text(" · first in "), linkIf(to.run(e.FirstSeen.RunRef), g.Text(e.FirstSeen.RunRef)),
			g.Text(" "+when(e.FirstSeen.Time)))
	}
	if e.At.Line > 0 {
		about = append(about, g.Text(" · "), linkIf(to.line(e), g.Text(e.At.String())))
	}
	if known := to.known(e); known != "" {
		about = append(about, g.Text(" · "), link(known, "since when"))
	}
	return h.Li(h.Class(e.Kind), e.tags(),
		h.P(linkIf(to.error(e), placed(e.Sample.Location, e.Sample.Message))),
		h.P(h.Small(g.Group(about))), e.others(), h.P(stripView(e.Last)))
}

// others lists the other errors of the group, or the first of them.
func (e errorGroup) others() g.Node {
	if len(e.Also) == 0 {
		return nil
	}
	items := g.Map(e.Also, func(text string) g.Node { return h.Li(code(text)) })
	if left := e.Count - 1 - len(e.Also); left > 0 {
		items = append(items, h.Li(g.Text(count(left, "more error"))))
	}
	return h.Details(h.Summary(h.Small(g.Text(count(e.Count-1, "more error")+" like it"))), h.Ul(items))
}

// tags shows known facts about a group of errors in a few words.
func (e errorGroup) tags() g.Node {
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
	return h.P(g.Map(tags, func(t g.Node) g.Node { return g.Group{t, g.Text(" ")} }))
}

// listedMessage is the max number of bytes of a message in a list. The page of the error has the whole message.
const listedMessage = 400

// placed shows the place and message of an event in a list.
func placed(place, message string) g.Node {
	return g.Group{g.If(place != "", g.Group{code(place), g.Text(" ")}), g.Text(clip(message, listedMessage))}
}

// eventPath returns the URL of an event, or "" without a ref.
func eventPath(ref string) string {
	if ref == "" {
		return ""
	}
	return refPath("event", ref)
}

// counts returns links to all errors and warnings. It says how many errors are in no group of the page.
func (p runPage) counts() g.Node {
	if p.Info.Errors == 0 && p.Info.Warnings == 0 {
		return nil
	}
	errors := refPath("errors", p.Ref)
	left := p.Info.Errors - counted(p.Groups)
	return h.P(g.If(p.Info.Errors > 0, link(errors, count(p.Info.Errors, "error"))),
		g.If(p.Info.Errors > 0 && p.Info.Warnings > 0, g.Text(", ")),
		g.If(p.Info.Warnings > 0, link(errors+"?severity=warning", count(p.Info.Warnings, "warning"))),
		g.If(left > 0 && len(p.Groups) > 0, g.Text(fmt.Sprintf(". %d of them are not in the groups above.", left))))
}

// others lists the other steps at the same commit whose runs did not pass.
func (p runPage) others(to places) g.Node {
	if len(p.Others) == 0 {
		return nil
	}
	return g.Group{h.H2(g.Text("Other steps that are not green")), h.Ul(g.Map(p.Others, func(o query.OtherRun) g.Node {
		return h.Li(linkIf(to.run(o.RunRef), g.Text(o.RunRef)), g.Text(" "), result(o.Status),
			g.Text(" "+count(o.Errors, "error")))
	}))}
}

// view draws the bars. The label of the drawing lists the values.
func (s sparkline) view() g.Node {
	if len(s.Bars) < 2 {
		return nil
	}
	return h.SVG(h.Class("spark"), sized(s.Width, s.Height), h.Role("img"),
		h.Aria("label", "Last runs: "+s.Text), g.Map(s.Bars, func(b bar) g.Node {
			return g.El("rect", h.Class(b.Class), g.Attr("x", strconv.Itoa(b.X)), g.Attr("y", strconv.Itoa(b.Y)),
				h.Width(strconv.Itoa(b.Width)), h.Height(strconv.Itoa(b.Height)), g.El("title", g.Text(b.Title)))
		}))
}
