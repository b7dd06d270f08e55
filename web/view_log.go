package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

func (p logPage) view() g.Node { return p.layout(p.Log.view()) }

// view shows a part of a log, with links and forms to other parts.
func (w logWindow) view() g.Node {
	where := "The command printed nothing."
	if w.Total > 0 {
		where = fmt.Sprintf("Lines %d to %d of %d", w.From, w.To, w.Total)
	}
	to := func(n int) string { return logPath(w.Ref, w.Stream, n) }
	errorAt := func(key string, at place, text string) g.Node {
		return g.If(at.Line > 0, keyLink(key, logPath(w.Ref, at.Stream, at.Line), text))
	}
	var streams []g.Node
	for _, s := range w.Streams {
		if s != w.Stream {
			streams = append(streams, link(logPath(w.Ref, s, 1), s))
		}
	}
	return g.Group{
		h.Nav(h.Class("window"), h.Aria("label", "Log"),
			errorAt("p", w.PreviousError, "Previous error"), errorAt("n", w.NextError, "Next error"), w.newErrors(),
			link(to(1), "Start"), link(to(w.End), "End"), link(streamPath("raw", w.Ref, w.Stream), "Raw"), g.Group(streams),
			h.Form(action(refPath("log", w.Ref)), field("Line", "line", number(w.At), digits(8)),
				hidden("stream", w.Stream), h.Button(g.Text("Go"))),
			h.Form(action(refPath("search", w.Ref)), h.Role("search"), field("Find", "q", "", h.Type("search")),
				hidden("stream", w.Stream), h.Button(g.Text("Find"))),
		),
		g.If(w.Note != "", h.P(h.Role("status"), g.Text(w.Note))),
		g.If(w.Missing > 0, h.P(h.Class("bad"), g.Text(fmt.Sprintf(
			"The log has %d lines, and not line %d. This is its end.", w.Total, w.Missing)))),
		h.P(h.Class("where"), g.Text(where)),
		g.If(w.Unmarked > 0, h.P(g.Text(fmt.Sprintf("Not marked in the log: %d of the errors and warnings. ", w.Unmarked)),
			link(refPath("errors", w.Ref), "All errors"))),
		further("earlier", to(max(1, w.Earlier)), "Earlier lines", w.Earlier > 0),
		linesOf(fmt.Sprintf("Log, lines %d to %d", w.From, w.To), w.Lines, h.ID("lines"), g.If(w.AtEnd, g.Attr("data-end")),
			address{"data-log", streamPath("log", w.Ref, w.Stream)},
			address{"data-after", streamPath("after", w.Ref, w.Stream)},
			h.Data("total", strconv.Itoa(w.Total))),
		further("later", to(max(1, w.Later)), "Later lines", w.Later > 0),
	}
}

// newErrors returns links to the nearest errors that are not in the baseline. The server searches for the error when
// somebody follows the link.
func (w logWindow) newErrors() g.Node {
	if (w.PreviousError == place{} && w.NextError == place{}) {
		return nil
	}
	to := func(key, way, text string) g.Node {
		parameters := url.Values{"new": {way}}
		if w.At > 0 {
			parameters.Set("line", strconv.Itoa(w.At))
		}
		return keyLink(key, w.path(parameters), text)
	}
	return g.Group{to("P", previousNew, "Previous new error"), to("N", nextNew, "Next new error")}
}

// path returns the URL of the page of the log with the given parameters.
func (w logWindow) path(parameters url.Values) string {
	if w.Stream != store.StreamCombined {
		parameters.Set("stream", w.Stream)
	}
	return refPath("log", w.Ref) + "?" + parameters.Encode()
}

// further returns a link to lines before or after the lines of the page. If there are no such lines yet, exist is
// false and the link is hidden. The script may show it later.
func further(class, to, text string, exist bool) g.Node {
	return h.P(h.Class(class), g.If(!exist, g.Attr("hidden")), link(to, text))
}

func (p searchPage) view() g.Node {
	found := count(p.Count, "line")
	if p.From > 0 || p.Rest > 0 {
		found += fmt.Sprintf(" from line %d on", max(1, p.From))
	}
	if p.Rest > 0 {
		found += fmt.Sprintf(" to line %d", p.Rest-1)
	}
	if len(p.Hits) < p.Count {
		found += fmt.Sprintf(", the first %d", len(p.Hits))
	}
	return p.layout(
		h.Form(h.Role("search"), field("Find", "q", p.Search, h.Type("search"), h.AutoFocus()),
			h.Label(h.Input(h.Type("checkbox"), h.Name("regexp"), h.Value("1"), g.If(p.Regexp, h.Checked())),
				g.Text(" regular expression")),
			hidden("stream", p.Stream), h.Button(g.Text("Find"))),
		g.If(p.Search != "", g.Group{
			h.P(h.Role("status"), g.Text(found)),
			h.Ol(h.Class("hits"), g.Map(p.Hits, func(l line) g.Node {
				return h.Li(link(logPath(p.Ref, p.Stream, l.Number), strconv.Itoa(l.Number)), g.Text(" "),
					g.El("bdi", spansOf(p.marked(l.Spans))))
			})),
			p.rest(p.Ref),
			g.Map(p.others(), func(stream string) g.Node {
				return h.P(link(p.path(p.Ref, stream, 0), "Find it in "+stream))
			}),
		}),
	)
}

// rest returns a link that continues the search in the lines that were not searched.
func (p searchPage) rest(ref string) g.Node {
	return g.If(p.Rest > 0, h.P(link(p.path(ref, p.Stream, p.Rest), fmt.Sprintf("Search on from line %d", p.Rest))))
}

func (p errorsPage) view() g.Node {
	var items []g.Node
	for _, e := range p.Events {
		text := placed(query.Location(e.File, e.Line), e.Message)
		items = append(items, h.Li(h.Class(string(e.Severity)), linkIf(eventPath(e.Ref), text),
			h.P(h.Small(g.If(e.LogLine > 0, g.Group{link(logPath(p.Ref, e.Stream, e.LogLine),
				placeOf(e).String()), g.Text(" · ")}), sinceWhen(p.Ref, e.Fingerprint)))))
	}
	list := h.Ol(h.Class("errors"), g.Attr("start", strconv.Itoa(p.From)), g.Group(items))
	switch {
	case len(items) == 0 && p.Total > 0:
		list = h.P(g.Text(fmt.Sprintf("The list ends at %d.", p.Total)))
	case len(items) == 0:
		list = h.P(g.Text("Nothing of this severity."))
	}
	return p.layout(
		h.P(g.Text(fmt.Sprintf("%d in all. ", p.Total)), link("?severity=error", "Errors"), g.Text(", "),
			link("?severity=warning", "warnings"), g.Text(", "), link("?severity=error,warning,info", "all")),
		list,
		g.If(p.Next > 0, h.P(link("?"+parameterOf("severity", p.Severity)+"&from="+strconv.Itoa(p.Next), "Next"))),
	)
}

func (p eventPage) view() g.Node {
	return p.layout(
		h.P(code(query.Location(p.File, p.Line)), g.Text(" "), tag(string(p.Severity)), g.Text(" "+p.Tool+" "+p.Code)),
		g.If(len(p.Message) > listedMessage, h.P(code(p.Message))),
		g.Iff(p.History != nil, p.since),
		g.Iff(p.LogContext != nil, func() g.Node {
			return g.Group{h.H2(g.Text("Log")), linesOf("Log around the error", contextLines(p.LogContext.Lines)),
				p.toLog()}
		}),
		g.Iff(p.SourceContext != nil, func() g.Node {
			return g.Group{h.H2(g.Text("Source")),
				g.If(p.SourceContext.Changed, h.P(g.Text("The file has changed since the run."))),
				linesOf("Source", contextLines(p.SourceContext.Lines))}
		}),
		g.Iff(p.GitContext != nil, p.changes),
		h.P(g.Text("At a terminal: "), code("blq inspect "+p.Inspection.Ref)),
	)
}

// toLog returns a link to the first log line of the event.
func (p eventPage) toLog() g.Node {
	i := slices.IndexFunc(p.LogContext.Lines, func(l query.ContextLine) bool { return l.IsEvent })
	if i < 0 {
		return nil
	}
	n := p.LogContext.Lines[i].Line
	return h.P(link(logPath(p.Run, p.Stream, n), fmt.Sprintf("The log around line %d", n)))
}

// contextLines returns the lines around an event for linesOf.
func contextLines(list []query.ContextLine) []line {
	var lines []line
	for _, l := range list {
		mark := ""
		if l.IsEvent || l.IsError {
			mark = "error"
		}
		lines = append(lines, line{Number: l.Line, Spans: spans(l.Text), Mark: mark})
	}
	return lines
}

// since shows the first run with the error, and the number of its occurrences.
func (p eventPage) since() g.Node {
	past := p.History
	text := []g.Node{g.Text("First seen in "), runLink(past.FirstSeen.RunRef),
		g.Text(", " + when(past.FirstSeen.Time) + "; " + count(past.Occurrences, "time") + " up to this run" +
			ofSource(p.Run) + ".")}
	if past.LastSeen != nil {
		text = append(text, g.Text(" Before this in "), runLink(past.LastSeen.RunRef), g.Text("."))
	}
	if past.Regression {
		text = append(text, g.Text(" It was gone and is back."))
	}
	return g.Group{h.H2(g.Text("Since when")), h.P(g.Group(text)), h.P(stripView(p.Last)),
		turned("came", p.Came), h.P(link(PathOfFingerprint(repoOf(p.Run), p.Fingerprint), "All that is known of this error"))}
}

// ofSource returns the words that limit a statement to the runs of one source, such as ", in runs of build".
func ofSource(run string) string {
	if ref, err := store.ParseRef(run); err == nil && ref.Source != "" {
		return ", in runs of " + ref.Source
	}
	return ""
}

// changes shows the last changes of the line and the file.
func (p eventPage) changes() g.Node {
	list := []g.Node{h.H2(g.Text("Changes"))}
	if b := p.GitContext.Blame; b != nil {
		list = append(list, h.P(g.Text("Line last changed by "+b.Author+" in "), code(short(b.Commit))))
	}
	return g.Group{g.Group(list), h.Ul(g.Map(p.GitContext.Recent, func(c query.Commit) g.Node {
		return h.Li(code(short(c.Hash)), g.Text(" "+c.Message+" – "+c.Author))
	}))}
}

func (p comparePage) view() g.Node {
	form := h.Form(h.Class("filter"), field("Compare with run, branch or commit", "with", p.With),
		h.Button(g.Text("Compare")))
	if p.Run1 == "" {
		return p.layout(form, h.P(g.Text(uncompared(p.Diff))), h.P(link(refPath("errors", p.Ref), "All errors of the run")))
	}
	events := func(title string, list []query.DiffEvent, all int) g.Node {
		items := g.Map(list, func(e query.DiffEvent) g.Node {
			return h.Li(linkIf(eventPath(e.Ref), placed(e.File, e.Message)))
		})
		if len(list) == 0 {
			return g.Group{h.H2(g.Text(title)), h.P(g.Text("None."))}
		}
		return g.Group{h.H2(g.Text(title)), h.Ol(h.Class("errors"), items), g.If(len(list) < all,
			h.P(g.Text(fmt.Sprintf("The first %d of %d are listed.", len(list), all))))}
	}
	return p.layout(
		form,
		h.P(g.Text("With "), runLink(p.Run1), g.Iff(p.Baseline != nil, func() g.Node { return g.Text(chosen(*p.Baseline)) })),
		g.If(p.Note != "", h.P(g.Text(p.Note))),
		h.P(g.Text(fmt.Sprintf("%d new, %d fixed, %d unchanged.", p.Summary.New, p.Summary.Fixed, p.Summary.Unchanged))),
		events("New", p.New, p.Summary.New), events("Fixed", p.Fixed, p.Summary.Fixed),
		events("Unchanged", p.Unchanged, p.Summary.Unchanged),
	)
}

// calledPage returns a link to the page about the run or event that a call names, or nil.
func calledPage(c store.Call) g.Node {
	name, _ := c.Arguments.Get("ref").(string)
	ref, err := store.ParseRef(name)
	if err != nil || ref.Serial == 0 || ref.Source == "" {
		return nil
	}
	return h.P(g.Text("Its page: "), h.A(href(PathOf(ref, "")), shortRef(name)))
}

func (p problemPage) view() g.Node {
	return p.layout(
		h.P(g.Text(p.Message)),
		g.Map(p.NextSteps, func(s string) g.Node { return h.P(code(s)) }),
		g.Map(p.Calls, calledPage),
		g.If(p.SignIn != "" && p.Status < http.StatusInternalServerError,
			h.P(link(p.SignIn, "Sign in"), g.Text(" to see what only you and others of your repositories may see."))),
		h.P(link("/", "The list of runs")),
	)
}
