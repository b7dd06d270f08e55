package web

import (
	"cmp"
	"fmt"
	"io"
	"strconv"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/blq-ci/blq/store"
)

// render writes the file.
func (f *filePage) render(w io.Writer) error {
	var b pageWriter
	err := h.Doctype(h.HTML(h.Lang("en"),
		h.Head(
			h.Meta(h.Charset("utf-8")),
			h.Meta(g.Attr("http-equiv", "Content-Security-Policy"), h.Content(policy())),
			h.Meta(h.Name("viewport"), h.Content("width=device-width, initial-scale=1")),
			h.Meta(h.Name("color-scheme"), h.Content("light dark")),
			h.TitleEl(g.Text(f.Title+" – "+f.Site)),
			h.StyleEl(g.Raw(css)),
		),
		h.Body(
			h.A(h.Class("skip"), h.Href("#main"), g.Text("Skip to content")),
			h.Main(h.ID("main"), f.view()),
		),
	)).Render(&b)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// linked returns the places to which a file can link.
func (f *filePage) linked() places {
	line := func(e errorGroup) string {
		if !f.has(e.At) {
			return ""
		}
		return anchor(e.At.Line)
	}
	return places{
		run:   func(string) string { return "" },
		error: line,
		line:  line,
		known: func(errorGroup) string { return "" },
		runs:  func(string, string) string { return "" },
	}
}

func (f *filePage) view() g.Node {
	to := f.linked()
	return g.Group{
		h.H1(result(f.Info.Status), g.Text(" "+f.Ref)),
		h.P(h.Class("verdict"), g.Text(f.Verdict)),
		f.compared(to),
		h.Div(h.Class("columns"),
			h.Section(h.Aria("label", "Errors"),
				f.errors(to),
				h.P(g.Text(count(f.Info.Errors, "error")+" and "+count(f.Info.Warnings, "warning")+" in all."),
					g.If(f.WholeLog == "", g.Group{g.Text(" At a terminal: "), code("blq errors " + f.Ref)})),
				f.causes(),
			),
			h.Section(h.Aria("label", "Log"), h.H2(g.Text("Log")), f.log()),
			h.Section(h.Aria("label", "Facts"), f.facts(to), f.others(to)),
		),
	}
}

// maxNav is the max number of errors with links in an excerpt.
const maxNav = 30

// log shows the parts of the log. Links lead from each error to the next.
func (f *filePage) log() g.Node {
	if f.Total == 0 {
		return h.P(g.Text("The command printed nothing."))
	}
	var list g.Group
	stream, command := "", "blq output "+f.Ref
	if f.Stream != store.StreamCombined {
		stream, command = " of "+f.Stream, command+" --stream "+f.Stream
	}
	last := 0 // line of the last error with links
	for i, e := range f.Excerpts {
		list = append(list, h.P(h.Class("where"),
			g.Text(fmt.Sprintf("Lines %d to %d of %d%s", e.From, e.To, f.Total, stream))),
			h.Nav(h.Aria("label", fmt.Sprintf("Errors around line %d", e.From)),
				g.If(last > 0, link(anchor(last), "Previous error")),
				g.Map(e.Errors[:min(len(e.Errors), maxNav)], func(n int) g.Node {
					return link(anchor(n), "Line "+strconv.Itoa(n))
				}),
				f.next(i)),
			linesOf(fmt.Sprintf("Log, lines %d to %d", e.From, e.To), e.Lines))
		if n := len(e.Errors); n > 0 {
			last = e.Errors[n-1]
		}
	}
	if f.Outside > 0 {
		list = append(list, h.P(g.Text(fmt.Sprintf("The lines of %d more errors are not in this file.", f.Outside))))
	}
	return append(list, h.P(g.Text("The whole log: "), code(cmp.Or(f.WholeLog, command))))
}

// next returns a link to the first error after an excerpt.
func (f *filePage) next(i int) g.Node {
	for _, e := range f.Excerpts[i+1:] {
		if len(e.Errors) > 0 {
			return link(anchor(e.Errors[0]), "Next error")
		}
	}
	return nil
}

func anchor(line int) string { return "#L" + strconv.Itoa(line) }
