package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// asciidoctorFormat reads Asciidoctor.
var asciidoctorFormat = parse.Format{
	Name:   "asciidoctor",
	About:  "Asciidoctor: errors and warnings of documents",
	Starts: []string{"asciidoctor: "},
	Lines: parse.Lines{
		{Text: "asciidoctor: {severity:ERROR|WARNING|FAILED=error|INFO|DEBUG=info}: {file}: line {line}: {message}"},
		{Text: "asciidoctor: {severity:ERROR|WARNING|FAILED=error|INFO|DEBUG=info}: {message}"},
		{Text: "asciidoctor: «{:invalid|missing|option }{*}»", Weight: parse.Likely},
	},
}

// mkdocsFormat reads MkDocs. In strict mode its warnings make the build fail.
var mkdocsFormat = parse.Format{
	Name:     "mkdocs",
	About:    "MkDocs: errors and warnings of documents and configuration",
	Triggers: []string{" warnings in strict mode"},
	Starts:   []string{"WARNING  -  ", "ERROR    -  ", "WARNING -  ", "ERROR   -  ", "ERROR -  ", "Aborted with "},
	New:      func() parse.Matcher { return new(mkdocs).match },
}

type mkdocs struct{ warnings []*parse.Draft }

var mkdocsLine = parse.Lines{{Text: "^{severity:ERROR|WARNING}{ }-  {message}"}}

func (m *mkdocs) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if hasAnyPrefix(text, "Aborted with ", "Exited with ") {
		strict := strings.Contains(text, " warnings in strict mode")
		if !strict && !strings.HasSuffix(text, " Configuration Errors!") {
			return false
		}
		for _, d := range m.warnings {
			if strict {
				d.Severity = store.SeverityError
			}
		}
		m.warnings = nil
		s.Add(parse.Draft{Weight: parse.Repeat, Event: store.Event{Message: text, Category: store.CategoryBuild}})
		return true
	}
	d, ok := mkdocsLine.Read(l.Text)
	if !ok {
		return false
	}
	d.Category, d.Weight = store.CategoryLint, parse.Likely
	if _, name, ok := strings.Cut(d.Message, "ocumentation file '"); ok {
		d.File, _, _ = strings.Cut(name, "'")
	} else if name, ok := strings.CutPrefix(d.Message, "Doc file '"); ok {
		d.File, _, _ = strings.Cut(name, "'")
	}
	added := s.Add(d)
	if d.Severity == store.SeverityWarning && len(m.warnings) < 1000 {
		m.warnings = append(m.warnings, added)
	}
	s.Block(parse.Below{Indent: 10, Join: " "}.Block(added)) // MkDocs wraps its lines
	return true
}

// htmlProoferFormat reads HTML-Proofer: the page, and then the error.
var htmlProoferFormat = parse.Format{
	Name:     "html-proofer",
	About:    "HTML-Proofer: broken links and images of pages",
	Triggers: []string{"HTML-Proofer found "},
	Starts:   []string{"  *  ", "* At "},
	New:      func() parse.Matcher { return new(htmlProofer).match },
}

type htmlProofer struct {
	page string
	last *parse.Draft
}

func (h *htmlProofer) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case strings.HasPrefix(text, "HTML-Proofer found "),
		strings.HasPrefix(text, "htmlproofer ") && strings.Contains(text, " | Error:  HTML-Proofer found "):
		s.Add(parse.Draft{Weight: parse.Repeat, Event: store.Event{Message: text, Category: store.CategoryLint}})
		return true
	case strings.HasPrefix(l.Text, "* At "): // since version 4
		p, rest, ok := parse.PlaceAt(l.Text[len("* At "):])
		if !ok || rest != "" {
			return false
		}
		h.add(s, p, "").next(s)
		return true
	}
	if page, ok := strings.CutPrefix(before(s), "- "); ok && hasAnySuffix(page, ".html", ".htm", ".xhtml") {
		h.page = page
	} else if h.last == nil || h.last.LogLineEnd != l.N-1 || h.page == "" {
		h.page = ""
		return false
	}
	p := parse.Place{File: h.page}
	message := strings.TrimSpace(strings.TrimPrefix(text, "*"))
	if i := strings.LastIndex(message, " (line "); i > 0 && strings.HasSuffix(message, ")") {
		p.Line, _ = parse.Number(message[i+len(" (line "):])
		message = message[:i]
	}
	h.add(s, p, message)
	s.Block(parse.Below{Indent: 5}.Block(h.last))
	return true
}

func (h *htmlProofer) add(s *parse.Scan, p parse.Place, message string) *htmlProofer {
	h.last = s.Add(parse.Draft{Event: store.Event{File: p.File, Line: p.Line, Message: message,
		Category: store.CategoryLint}})
	return h
}

// next reads the message from the paragraph below the place.
func (h *htmlProofer) next(s *parse.Scan) {
	s.Block(parse.Below{Indent: 2, Blank: 1, Join: "\n", Parts: parse.MaxMessageLines}.Block(h.last))
}
