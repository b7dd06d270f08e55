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

// receiver is implemented by sources that know who uploaded a run and when it arrived. A remote service cannot be such
// a source.
type receiver interface {
	Uploads(ctx context.Context, p query.UploadsParams) ([]query.Upload, error)
	Upload(ctx context.Context, ref string) (query.Upload, error)
	Unread(ctx context.Context, p query.UnreadParams) (query.Unread, error)
}

// uploadsPage lists uploaded runs in the order of their arrival.
type uploadsPage struct {
	page
	Asked   query.UploadsParams
	Uploads []query.Upload
	Before  int  // serial at which the next page begins, 0 for none
	Across  bool // there are earlier runs, and the runs are of all repositories
}

const pageUploads = 25

func uploads(q *request) error {
	by, ok := q.by.(receiver)
	if !ok {
		return notFound(q.w, q.r)
	}
	p := uploadsPage{page: q.page("Uploads", ""), Asked: query.UploadsParams{Source: q.r.FormValue("source"),
		Repo: q.r.FormValue("repo"), Limit: pageUploads}}
	var err error
	if p.Asked.Before, err = q.number("before"); err != nil {
		return err
	}
	if p.Uploads, err = by.Uploads(q.context(), p.Asked); err != nil {
		return err
	}
	if n := len(p.Uploads); n == pageUploads {
		if last, err := store.ParseRef(p.Uploads[n-1].RunRef); err == nil {
			p.Before, p.Across = nextPage(p.Asked.Repo, last.Repo, last.Serial)
		}
	}
	return q.show(p.view())
}

func (p uploadsPage) view() g.Node {
	var rows []g.Node
	for _, u := range p.Uploads {
		rows = append(rows, row(runLink(u.RunRef), g.Text(when(u.Received)), named(g.Text(sender(u))), state(u),
			g.Text(size(u.Bytes)), named(readAs(u)), notRead(u)))
	}
	return p.layout(
		h.P(g.Text("What arrived, newest first, and what was read from it.")),
		h.Form(h.Class("filter"), field("Source", "source", p.Asked.Source), hidden("repo", p.Asked.Repo),
			h.Button(g.Text("Show"))),
		table("Uploads", []string{"Run", "Received", "From", "State", "Log", "Read as", "Not understood"}, rows),
		earlierElsewhere(p.Across),
		g.If(p.Before > 0, h.Form(h.Class("filter"), hidden("source", p.Asked.Source), hidden("repo", p.Asked.Repo),
			hidden("before", number(p.Before)), h.Button(g.Text("Earlier uploads")))),
	)
}

// sender returns a description of who sent a run: a job, or the command line on a machine.
func sender(u query.Upload) string {
	if u.CI == nil {
		return strings.TrimSuffix("command line on "+u.Hostname, " on ")
	}
	text := u.CI.Provider
	for _, part := range []string{u.CI.Workflow, u.CI.Job} {
		if part != "" {
			text += ", " + part
		}
	}
	if u.CI.Actor != "" {
		text += ", for " + u.CI.Actor
	}
	return text
}

// state shows the status of a run, and whether all of its data has arrived.
func state(u query.Upload) g.Node {
	return g.Group{result(u.Status), g.If(u.Lost != "", h.Small(h.Class("bad"), g.Text(" not all of it: "+u.Lost)))}
}

// readAs shows the tools and tests that blq recognised in a log.
func readAs(u query.Upload) g.Node {
	var parts []string
	total := 0
	for _, t := range u.Tools {
		total += t.Events
		parts = append(parts, fmt.Sprintf("%s (%d)", t.Name, t.Events))
	}
	text := strings.Join(parts, ", ")
	if total < u.Looked || u.Looked < u.Errors+u.Warnings {
		text += fmt.Sprintf(" among the first %d of %s", u.Looked, count(u.Errors+u.Warnings, "finding"))
	}
	if u.Tests.Tests > 0 {
		text = strings.TrimPrefix(text+", ", ", ") + count(u.Tests.Tests, "test")
	}
	switch {
	case text != "":
		return g.Text(text)
	case u.Status == store.StatusFail:
		return h.Span(h.Class("bad"), g.Text("nothing, although it failed"))
	}
	return g.Text("nothing to report")
}

// notRead returns a link to the lines that mention a failure but belong to no event. If the number of these lines is
// known, the link shows it.
func notRead(u query.Upload) g.Node {
	text := "look for lines"
	if u.Unread != nil {
		text = count(*u.Unread, "line")
	}
	return h.A(href(refPath("upload", u.RunRef)), h.Aria("label", text+" of "+u.RunRef+" not understood"), g.Text(text))
}

// size returns a number of bytes in a form for people.
func size(bytes int64) string {
	switch {
	case bytes < 10_000:
		return strconv.FormatInt(bytes, 10) + " B"
	case bytes < 10_000_000:
		return fmt.Sprintf("%.0f kB", float64(bytes)/1e3)
	}
	return fmt.Sprintf("%.0f MB", float64(bytes)/1e6)
}

// uploadPage shows who uploaded a run, and what blq recognised in its log. It also shows lines that mention a failure
// but belong to no event.
type uploadPage struct {
	page
	query.Upload
	query.Unread
	From    int
	Refused string // why no lines were searched, "" if lines were searched
}

func upload(q *request) error {
	by, ok := q.by.(receiver)
	if !ok {
		return notFound(q.w, q.r)
	}
	from, err := q.number("from")
	if err != nil {
		return err
	}
	u, err := by.Upload(q.context(), q.ref())
	if err != nil {
		return err
	}
	p := uploadPage{page: q.page("Upload of "+u.RunRef, u.RunRef), Upload: u, From: from}
	p.Unread, err = by.Unread(q.context(), query.UnreadParams{Ref: u.RunRef, Stream: q.r.FormValue("stream"), From: from})
	switch {
	case store.CodeOf(err) == store.TooLarge:
		p.Refused = err.Error()
	case err != nil:
		return err
	}
	return q.show(p.view())
}

func (p uploadPage) view() g.Node {
	var facts []g.Node
	add := func(name string, value ...g.Node) { facts = append(facts, h.Dt(g.Text(name)), h.Dd(g.Group(value))) }
	add("Received", g.Text(when(p.Received)))
	add("From", g.Text(sender(p.Upload)))
	add("State", state(p.Upload))
	add("Log", link(refPath("log", p.RunRef), count(p.Upload.Lines, "line")), g.Text(", "+size(p.Bytes)))
	if p.Format != "" {
		add("Asked to read", code(p.Format))
	}
	add("Read as", readAs(p.Upload))
	add("Found", link(refPath("errors", p.RunRef), count(p.Errors, "error")), g.Text(", "),
		link(refPath("errors", p.RunRef)+"?severity=warning", count(p.Warnings, "warning")))
	return p.layout(h.Dl(g.Group(facts)), h.H2(g.Text("Not understood")), p.unread())
}

// unread shows lines that mention a failure but belong to no event.
func (p uploadPage) unread() g.Node {
	if p.Refused != "" {
		return h.P(g.Text("Lines are not looked at: " + p.Refused + "."))
	}
	text := count(p.Count, "line") + " with words of failure belong to no error or warning"
	if p.From > 1 {
		text += fmt.Sprintf(", from line %d on", p.From)
	}
	if p.Rest > 0 {
		text += fmt.Sprintf(", up to line %d", p.Rest-1)
	}
	if n := len(p.Unread.Lines); n < p.Count {
		text += fmt.Sprintf(". The first %d are listed", n)
	}
	var streams []g.Node
	for _, s := range p.Streams {
		if s != p.Stream {
			streams = append(streams, h.P(link(refPath("upload", p.RunRef)+"?"+parameterOf("stream", s), "Look in "+s)))
		}
	}
	onward := refPath("upload", p.RunRef) + "?from=" + strconv.Itoa(p.Rest) + "&" + parameterOf("stream", p.Stream)
	return g.Group{
		h.P(g.Text(text + ".")),
		h.Ol(h.Class("hits"), g.Map(p.Unread.Lines, func(l query.ContextLine) g.Node {
			return h.Li(link(logPath(p.RunRef, p.Stream, l.Line), strconv.Itoa(l.Line)), g.Text(" "),
				g.El("bdi", spansOf(spans(l.Text))))
		})),
		g.If(p.Rest > 0, h.P(link(onward, fmt.Sprintf("Look on from line %d", p.Rest)))), g.Group(streams),
		g.If(p.Count > 0, h.P(code("blq formats"), g.Text(" lists the tools that are known. The output of others can be "+
			"read with a problem matcher: "), code("blq run --problem-matcher FILE"))),
	}
}
