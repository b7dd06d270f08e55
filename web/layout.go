package web

import (
	"io"
	"strconv"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// Pages are written with functions, not with templates. Templates find fields and methods by name at run time. So the
// linker would have to keep every method of every library, and blq would be 5 MB larger.

// layout returns a page with its head, links and foot.
func (p page) layout(main ...g.Node) g.Node {
	return h.Doctype(h.HTML(h.Lang("en"),
		h.Head(
			h.Meta(h.Charset("utf-8")),
			h.Meta(h.Name("viewport"), h.Content("width=device-width, initial-scale=1")),
			h.Meta(h.Name("color-scheme"), h.Content("light dark")),
			h.TitleEl(g.Text(p.Title+" – "+p.Site)),
			h.Link(h.Rel("stylesheet"), href("/static/blq.css?"+stamp())),
			h.Link(h.Rel("icon"), h.Type("image/svg+xml"), href("/static/"+p.icon())),
			h.Script(h.Type("module"), address{"src", "/static/blq.js?" + stamp()}),
		),
		h.Body(
			inRepo(p.Repo), h.A(h.Class("skip"), h.Href("#main"), g.Text("Skip to content")),
			h.Header(h.Nav(h.Aria("label", "Site"), p.lists(), g.Iff(p.Ref != "", p.links), p.Visitor.view())),
			h.Main(h.ID("main"), h.H1(g.Iff(p.Heading != nil, func() g.Node { return p.Heading }),
				g.If(p.Heading == nil, g.Text(p.Title))), g.Group(main)),
			foot(),
		),
	))
}

// icon returns the file name of the page's icon. The icon of a run's page shows the status of the run.
func (p page) icon() string {
	if p.Status == "" {
		return "icon.svg"
	}
	return "icon-" + verdictOf(p.Status) + ".svg"
}

// lists returns links to the start page and to the pages with lists, such as all runs. If the page is about a
// repository, lists also returns a link to the repository, and the other links lead to the lists of this repository.
func (p page) lists() g.Node {
	list := func(path, text string) g.Node {
		if p.Repo != "" {
			path += "?" + parameterOf("repo", p.Repo)
		}
		return link(path, text)
	}
	return g.Group{link("/", p.Site), g.Iff(p.Repo != "", func() g.Node { return link(repoPath(p.Repo), p.Repo) }),
		list("/runs", "All runs"), list("/sources", "Sources"), list("/tests", "Tests"), list("/find", "Search logs"),
		list("/uploads", "Uploads")}
}

// links returns the links to the other pages about the same run.
func (p page) links() g.Node {
	return g.Group{
		runLink(p.Ref), link(refPath("errors", p.Ref), "Errors"),
		keyLink("l", refPath("log", p.Ref), "Log"), keyLink("/", refPath("search", p.Ref), "Search"),
		link(refPath("compare", p.Ref), "Compare"),
	}
}

func foot() g.Node {
	key := func(name, does string) g.Node { return g.Group{h.Kbd(g.Text(name)), g.Text(does)} }
	return h.Footer(
		h.Details(h.Summary(g.Text("Keys")),
			h.P(key("n", " next error, "), key("p", " previous error, "), key("N", " next new error, "),
				key("P", " previous new error, "), key("/", " search, "), key(":", " go to a line, "), key("l", " log, "),
				key("f", " failed run before, "), key("w", " wrap lines, "), key("t", " hide times before lines, "),
				key("y", " copy a link to the line, "), key("?", " these keys.")),
			h.P(h.Label(h.Input(h.Type("checkbox"), h.ID("keys"), h.Checked()), g.Text(" single keys are on"))),
		),
		h.P(h.ID("said"), h.Role("status")),
	)
}

func link(address, text string) g.Node { return h.A(href(address), g.Text(text)) }

// keyLink returns a link with a keyboard shortcut.
func keyLink(key, address, text string) g.Node {
	return h.A(h.Data("key", key), href(address), g.Text(text))
}

func runLink(ref string) g.Node { return h.A(href(runPath(ref)), shortRef(ref)) }

func code(text string) g.Node { return h.Code(g.Text(text)) }

// result shows the status of a run.
func result(s store.Status) g.Node { return h.Span(h.Class(verdictOf(s)), g.Text(word(s))) }

func tag(text string) g.Node { return h.Span(h.Class("tag"), g.Text(text)) }

// field returns an input of a form with its label.
func field(label, name, value string, attributes ...g.Node) g.Node {
	return h.Label(g.Text(label+" "), h.Input(h.Name(name), h.Value(value), g.Group(attributes)))
}

func hidden(name, value string) g.Node {
	return g.If(value != "", h.Input(h.Type("hidden"), h.Name(name), h.Value(value)))
}

// digits returns the attributes for inputs of numbers.
func digits(size int) g.Node {
	return g.Group{g.Attr("inputmode", "numeric"), h.Pattern("[0-9]+"), g.Attr("size", strconv.Itoa(size))}
}

// number returns a number for an input, or "" for 0.
func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// table returns a table that can scroll on a narrow screen. If there are no rows, the table has one row with a note.
func table(name string, columns []string, rows []g.Node) g.Node {
	if len(rows) == 0 {
		rows = []g.Node{h.Tr(h.Td(h.ColSpan(strconv.Itoa(len(columns))), g.Text("No runs. Record one: "),
			code("blq run -- make")))}
	}
	return h.Div(h.Class("scroll"), h.Role("region"), h.Aria("label", name), h.TabIndex("0"), h.Table(
		h.THead(h.Tr(g.Map(columns, func(c string) g.Node { return h.Th(h.Scope("col"), g.Text(c)) }))),
		h.TBody(g.Group(rows)),
	))
}

// named returns the content of a cell with a name of any length. A long name wraps, to leave room for other columns.
func named(content ...g.Node) g.Node { return g.Group{h.Class("name"), g.Group(content)} }

func row(head g.Node, cells ...g.Node) g.Node {
	return h.Tr(h.Th(h.Scope("row"), head), g.Map(cells, func(c g.Node) g.Node { return h.Td(c) }))
}

func runTable(runs []query.RunFacts) g.Node {
	var rows []g.Node
	for _, r := range runs {
		rows = append(rows, row(runLink(refOf(r.Repo, r.Source, r.RunID)), result(r.Status), g.Text(strconv.Itoa(r.Errors)),
			named(g.Text(r.Branch)), code(short(r.Commit)), g.Text(when(r.Started)), g.Text(seconds(r.Seconds))))
	}
	return table("Runs", []string{"Run", "Result", "Errors", "Branch", "Commit", "Started", "Time"}, rows)
}

// maxStyled is the max number of parts of lines with a style on a page. A log may change the style with each character,
// and a page with millions of elements is useless. Further parts have no style.
const maxStyled = 10_000

// spansOf shows the parts of a line.
type spansOf []span

// Render implements g.Node.
func (list spansOf) Render(w io.Writer) error {
	page, _ := w.(*pageWriter)
	for _, s := range list {
		part := g.Text(s.Text)
		if s.Class != "" && (page == nil || page.styled < maxStyled) {
			if s.Class == hit {
				part = h.Mark(part)
			} else {
				part = h.Span(h.Class(s.Class), part)
			}
			if page != nil {
				page.styled++
			}
		}
		if err := part.Render(w); err != nil {
			return err
		}
	}
	return nil
}

// linesOf shows lines of a log or file with their numbers.
func linesOf(name string, lines []line, attributes ...g.Node) g.Node {
	return h.Div(h.Class("log"), h.Role("region"), h.Aria("label", name), h.TabIndex("0"), g.Group(attributes),
		g.Map(lines, func(l line) g.Node {
			class := "l"
			if l.Mark != "" {
				class += " " + l.Mark
			}
			if l.At {
				class += " at"
			}
			n := strconv.Itoa(l.Number)
			return h.Div(h.Class(class), g.If(l.ID, h.ID("L"+n)), h.Data("n", n), g.If(l.At, h.TabIndex("-1")),
				g.El("bdi", spansOf(l.Spans)))
		}))
}
