package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// internal reads a traceback whose lines begin with "INTERNALERROR>".
func (p *pytest) internal(s *parse.Scan, l parse.Line) {
	p.failed = true
	t := &traceback{d: s.Add(parse.Draft{Event: store.Event{Category: store.CategoryRuntime, Code: "INTERNALERROR"}})}
	read := func(text string) { t.read(strings.TrimPrefix(strings.TrimPrefix(text, "INTERNALERROR>"), " ")) }
	read(l.Text)
	s.Block(func(l parse.Line) parse.Verdict {
		if !strings.HasPrefix(l.Text, "INTERNALERROR>") {
			return parse.Done
		}
		t.d.Extend(l)
		read(l.Text)
		return parse.Take
	})
}

// conftest reads an error in conftest.py, which pytest prints before the session. It consists of places and lines
// marked with E, as in --tb=short.
func (p *pytest) conftest(s *parse.Scan, text string) {
	b := &pytestDetail{p: p}
	b.d = s.Add(parse.Draft{Event: store.Event{Message: text, Category: store.CategoryTest}})
	s.Block(func(l parse.Line) parse.Verdict {
		_, _, _, place := pytestPlace(l.Text)
		if !place && !strings.HasPrefix(l.Text, "E ") && !strings.HasPrefix(l.Text, "    ") &&
			!strings.HasPrefix(l.Text, "  File") {
			return parse.Done
		}
		b.d.Extend(l)
		b.read(strings.TrimRight(l.Text, " "))
		if b.message != "" {
			b.d.Message = b.message
		}
		return parse.Take
	})
}

// timeout reads pytest-timeout's dump of all threads between two "+++ Timeout +++" lines. The dump ends the run.
func (p *pytest) timeout(s *parse.Scan, text string) bool {
	if title, ok := separatorTitle(text, "+"); !ok || title != "Timeout" {
		return false
	}
	p.failed = true
	d := s.Add(parse.Draft{Event: store.Event{Message: "Timeout", Category: store.CategoryTest, Code: "timeout",
		Test: p.last}})
	if file, _, ok := strings.Cut(p.last, "::"); ok {
		d.File = file
	}
	main := true
	s.Block(func(l parse.Line) parse.Verdict {
		if strings.HasPrefix(l.Text, "++++") {
			return parse.Last
		}
		if strings.HasPrefix(l.Text, "~~~") {
			main = strings.Contains(l.Text, "MainThread")
		}
		if file, line, ok := pythonFrame(l.Text); ok && main && !isPythonLibrary(file) && !strings.HasPrefix(file, "<") {
			if d.File == "" || d.Line == 0 && strings.HasSuffix(file, d.File) || file == d.File {
				d.File, d.Line = file, line
			}
		}
		d.Extend(l)
		return parse.Take
	})
	return true
}
