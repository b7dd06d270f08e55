package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// gocheck reads "FAIL: x_test.go:12: Suite.TestA" and the lines below.
func (g *goTests) gocheck(s *parse.Scan, text string) bool {
	_, text, _ = strings.Cut(text, ": ")
	p, name, ok := parse.PlaceAt(text)
	if !ok || !strings.HasSuffix(p.File, ".go") || name == "" {
		return false
	}
	d := s.Add(parse.Draft{Event: store.Event{File: p.File, Line: p.Line, Test: name, Category: store.CategoryTest,
		Message: "test failed"}})
	g.keep(d)
	g.suite = true
	var said []string
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if text == "" {
			return parse.Take
		}
		if strings.HasPrefix(text, "-----") || strings.HasPrefix(text, "OOPS: ") || isGoTestLine(text) ||
			strings.HasPrefix(text, "PASS: ") {
			return parse.Done
		}
		d.Extend(l)
		if strings.HasPrefix(d.Message, "Panic: ") { // the stack of the panic
			return parse.Take
		}
		if p, rest, ok := parse.PlaceAt(text); ok && rest == "" && p.File == d.File {
			d.Line, said = p.Line, nil
		} else if len(said) < 12 {
			said = append(said, strings.TrimPrefix(text, "... "))
			d.Message = strings.Join(said, "\n")
		}
		return parse.Take
	})
	return true
}
