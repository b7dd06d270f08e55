package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// hspecFormat reads the test libraries of Haskell.
var hspecFormat = Format{
	Name:     "hspec",
	About:    "Haskell tests: hspec, tasty, HUnit, doctest, QuickCheck",
	Triggers: []string{".hs:", "To rerun use: --match ", " FAIL", "### Failure in", "### Error in", "*** Failed! "},
	New:      func() Matcher { return new(hspec).match },
}

// hspec remembers the newest failure, for the hint that ends it.
type hspec struct{ told *Draft }

func (h *hspec) match(s *Scan, l Line) bool {
	_, line := cutStackPackage(l.Text)
	text := strings.TrimSpace(line)
	switch {
	case strings.HasPrefix(text, "To rerun use: --match "):
		return h.rerun(s, l, text[len("To rerun use: --match "):])
	case strings.Contains(text, "### Failure in"), strings.Contains(text, "### Error in"):
		return hunit(s, text[strings.Index(text, "### "):])
	case strings.HasPrefix(line, "*** Failed! "):
		s.Add(Draft{Weight: Likely, Event: store.Event{Message: text[len("*** Failed! "):], Tool: "quickcheck", Category: store.CategoryTest}})
		return true
	}
	if p, rest, ok := placeAt(text); ok && rest == "" && strings.HasPrefix(line, "  ") && p.Column > 0 && strings.HasSuffix(p.File, ".hs") {
		s.Block(func(l Line) Verdict { return h.item(s, l, p) })
		return true
	}
	name, mark, ok := strings.Cut(text, ": ")
	for ok && strings.Contains(mark, ": ") { // names hold colons, too
		var more string
		more, mark, _ = strings.Cut(mark, ": ")
		name += ": " + more
	}
	mark = strings.TrimSpace(mark)
	if !ok || mark != "FAIL" && !strings.HasPrefix(mark, "FAIL (") {
		return false
	}
	t := &tasty{s: s, name: name, indent: len(line) - len(strings.TrimLeft(line, " ")), at: l.N}
	s.Block(t.line)
	return true
}

// item reads "  1) Math, nested, adds" below the place.
func (h *hspec) item(s *Scan, l Line, p place) Verdict {
	_, line := cutStackPackage(l.Text)
	text := strings.TrimSpace(line)
	_, n := number(text)
	name, ok := strings.CutPrefix(text[n:], ") ")
	if n == 0 || !ok {
		return Done
	}
	d := s.Add(Draft{Event: store.Event{Test: name, Message: name, File: p.File, Line: p.Line, Column: p.Column, Category: store.CategoryTest, LogLine: l.N - 1, LogLineEnd: l.N}})
	h.told = d
	var msg []string
	s.Block(func(l Line) Verdict {
		_, line := cutStackPackage(l.Text)
		text := strings.TrimSpace(line)
		if text != "" && !strings.HasPrefix(line, "     ") || text == "" && len(msg) > 0 && d.LogLineEnd-d.LogLine > 40 {
			return Done
		}
		if text != "" {
			d.Extend(l)
			if msg = append(msg, text); len(msg) <= 4 {
				d.Message = strings.Join(msg, "\n")
			}
		}
		return Take
	})
	return Last
}

// rerun reads the hint `"/Math/adds/"` at the end of a failure, which is the
// only sign of one where the library knows no places.
func (h *hspec) rerun(s *Scan, l Line, hint string) bool {
	if h.told != nil && l.N <= h.told.LogLineEnd+3 {
		h.told.Extend(l)
		return true
	}
	name := strings.Trim(hint, `"/`)
	s.Add(Draft{Event: store.Event{Test: strings.ReplaceAll(name, "/", ", "), Message: name, Category: store.CategoryTest}})
	return true
}

// hunit reads "### Failure in: 0:adds", and doctest's "### Failure in
// src/A.hs:12: expression `f 1'".
func hunit(s *Scan, text string) bool {
	_, name, _ := strings.Cut(text, " in")
	name = strings.TrimSpace(strings.TrimPrefix(name, ":"))
	d := Draft{Event: store.Event{Test: name, Message: name, Tool: "hunit", Category: store.CategoryTest}}
	if p, rest, ok := placeAt(name); ok && strings.HasSuffix(p.File, "hs") {
		d.Tool, d.File, d.Line, d.Column = "doctest-haskell", p.File, p.Line, p.Column
		d.Test = p.File + ": " + rest
	}
	added := s.Add(d)
	var msg []string
	s.Block(func(l Line) Verdict {
		text := l.Trim()
		p, rest, ok := placeAt(text)
		switch {
		case text == "" || strings.Contains(text, "### ") || strings.HasPrefix(text, "Cases: ") || strings.HasPrefix(text, "Examples: ") || len(msg) > 20:
			return Done
		case ok && rest == "" && len(msg) == 0:
			added.At(p.File, p.Line, p.Column)
		default:
			if msg = append(msg, text); len(msg) <= 4 {
				added.Message = strings.Join(msg, "\n")
			}
		}
		added.Extend(l)
		return Take
	})
	return true
}

// tasty reads what is indented below "  adds:   FAIL".
type tasty struct {
	s      *Scan
	name   string
	indent int
	at     int
	p      place
	msg    []string
	d      *Draft
}

func (t *tasty) line(l Line) Verdict {
	_, line := cutStackPackage(l.Text)
	text := strings.TrimSpace(line)
	if text == "" {
		return Take
	}
	if len(line)-len(strings.TrimLeft(line, " ")) <= t.indent || len(t.msg) > 60 {
		return Done
	}
	hint := strings.HasPrefix(text, "Use -p '")
	p, rest, placed := placeAt(text)
	placed = placed && strings.HasSuffix(p.File, "hs")
	if placed && t.p.File == "" {
		t.p = p
	}
	if !hint && !(placed && rest == "") && !strings.HasPrefix(text, "Use --quickcheck-replay") {
		t.msg = append(t.msg, text)
	}
	if t.d == nil && (hint || placed || hasAnyPrefix(text, "*** Failed!", "Exception: ", "expected:", "Test output was different")) {
		t.d = t.s.Add(Draft{Event: store.Event{Test: t.name, Tool: "tasty", Message: t.name, Category: store.CategoryTest, LogLine: t.at, LogLineEnd: l.N}})
	}
	if t.d == nil {
		return Take
	}
	t.d.Extend(l)
	t.d.At(t.p.File, t.p.Line, t.p.Column)
	if len(t.msg) > 0 && len(t.msg) <= 4 {
		t.d.Message = strings.Join(t.msg, "\n")
	}
	if hint {
		if full, ok := cutAny(text, `Use -p '$0=="`); ok {
			t.d.Test, _, _ = strings.Cut(full, `"`)
		}
		return Last
	}
	return Take
}
