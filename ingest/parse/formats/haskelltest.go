package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// hspecFormat reads test libraries of Haskell.
var hspecFormat = parse.Format{
	Name:  "hspec",
	About: "Haskell tests: hspec, tasty, HUnit, doctest, QuickCheck",
	Triggers: []string{".hs:", "To rerun use: --match ", " FAIL", " TIMEOUT", "### Failure in", "### Error in",
		"*** Failed! "},
	New: func() parse.Matcher { return new(hspec).match },
}

// hspec keeps the newest failure (told), because a line "To rerun use" may still belong to it.
type hspec struct{ told *parse.Draft }

func (h *hspec) match(s *parse.Scan, l parse.Line) bool {
	_, line := cutStackPackage(l.Text)
	text := strings.TrimSpace(line)
	switch {
	case strings.HasPrefix(text, "To rerun use: --match "):
		return h.rerun(s, l, text[len("To rerun use: --match "):])
	case strings.Contains(text, "### Failure in"), strings.Contains(text, "### Error in"):
		return hunit(s, text[strings.Index(text, "### "):])
	case strings.Contains(line, "*** Failed! "):
		name, message, _ := strings.Cut(line, "*** Failed! ")
		if name != "" && !isProperty(name) {
			return false
		}
		s.Add(parse.Draft{Weight: parse.Likely, Event: store.Event{Test: strings.TrimSpace(name),
			Message: strings.TrimSpace(message), Tool: "quickcheck", Category: store.CategoryTest}})
		return true
	}
	if p, rest, ok := parse.PlaceAt(text); ok && rest == "" && strings.HasPrefix(line, "  ") && p.Column > 0 &&
		strings.HasSuffix(p.File, ".hs") {
		s.Block(func(l parse.Line) parse.Verdict { return h.item(s, l, p) })
		return true
	}
	name, mark, ok := strings.Cut(text, ": ")
	for ok && strings.Contains(mark, ": ") { // names may contain colons
		var more string
		more, mark, _ = strings.Cut(mark, ": ")
		name += ": " + more
	}
	mark = strings.TrimSpace(mark)
	if word, _, _ := strings.Cut(mark, " ("); !ok || word != "FAIL" && word != "TIMEOUT" {
		return false
	}
	if !isTestName(name) {
		return strings.HasPrefix(name, "Test suite ") // cabal's summary
	}
	t := &tasty{name: name, indent: len(line) - len(strings.TrimLeft(line, " "))}
	t.d = s.Add(parse.Draft{Weight: parse.Status, Key: name, Event: store.Event{Test: name, Tool: "unknown",
		Message: text, Category: store.CategoryTest}})
	s.Block(t.line)
	return true
}

// isProperty reports whether the text before a result of QuickCheck is the name of the property. Test libraries print
// the name alone, or on a line of its own with a colon and more blanks.
func isProperty(name string) bool {
	return name[0] != ' ' && strings.HasSuffix(name, " ") && !hasAnySuffix(name, "  ", ": ")
}

// item reads "  1) Math, nested, adds", which is below the place.
func (h *hspec) item(s *parse.Scan, l parse.Line, p parse.Place) parse.Verdict {
	_, line := cutStackPackage(l.Text)
	text := strings.TrimSpace(line)
	_, name, ok := parse.CutNumber(text)
	if !ok {
		return parse.Done
	}
	d := s.Add(parse.Draft{Event: store.Event{Test: name, Message: name, File: p.File, Line: p.Line, Column: p.Column,
		Category: store.CategoryTest, LogLine: l.N - 1, LogLineEnd: l.N}})
	h.told = d
	msg := parse.Message{Max: 4}
	s.Block(func(l parse.Line) parse.Verdict {
		_, line := cutStackPackage(l.Text)
		text := strings.TrimSpace(line)
		if text != "" && !strings.HasPrefix(line, "     ") || text == "" && d.LogLineEnd-d.LogLine > 40 {
			return parse.Done
		}
		if text != "" {
			d.Extend(l)
			msg.Tell(d, text)
		}
		return parse.Take
	})
	return parse.Last
}

// rerun reads the hint `"/Math/adds/"` at the end of a failure. If the library prints no places, the hint is the only
// sign of a failure.
func (h *hspec) rerun(s *parse.Scan, l parse.Line, hint string) bool {
	if h.told != nil && l.N <= h.told.LogLineEnd+3 {
		h.told.Extend(l)
		return true
	}
	name := strings.Trim(hint, `"/`)
	s.Add(parse.Draft{Event: store.Event{Test: strings.ReplaceAll(name, "/", ", "), Message: name,
		Category: store.CategoryTest}})
	return true
}

// hunit reads "### Failure in: 0:adds", and "### Failure in src/A.hs:12: expression `f 1'" of doctest.
func hunit(s *parse.Scan, text string) bool {
	_, name, _ := strings.Cut(text, " in")
	name = strings.TrimSpace(strings.TrimPrefix(name, ":"))
	d := parse.Draft{Event: store.Event{Test: name, Message: name, Tool: "hunit", Category: store.CategoryTest}}
	if p, rest, ok := parse.PlaceAt(name); ok && strings.HasSuffix(p.File, "hs") {
		d.Tool, d.File, d.Line, d.Column = "doctest-haskell", p.File, p.Line, p.Column
		d.Test = p.File + ": " + rest
	}
	added := s.Add(d)
	msg := parse.Message{Max: 4}
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		p, rest, ok := parse.PlaceAt(text)
		switch {
		case text == "" || strings.Contains(text, "### ") || strings.HasPrefix(text, "Cases: ") ||
			strings.HasPrefix(text, "Examples: ") || added.LogLineEnd > added.LogLine+20:
			return parse.Done
		case ok && rest == "" && msg.Empty():
			added.At(p.File, p.Line, p.Column)
		default:
			msg.Tell(added, text)
		}
		added.Extend(l)
		return parse.Take
	})
	return true
}

// tasty reads the indented lines below "  adds:   FAIL". Other runners mark their tests in the same way.
type tasty struct {
	name   string
	indent int
	p      parse.Place
	msg    []string
	d      *parse.Draft
}

func (t *tasty) line(l parse.Line) parse.Verdict {
	_, line := cutStackPackage(l.Text)
	text := strings.TrimSpace(line)
	if text == "" {
		return parse.Take
	}
	if len(line)-len(strings.TrimLeft(line, " ")) <= t.indent || len(t.msg) > 60 {
		return parse.Done
	}
	hint := strings.HasPrefix(text, "Use -p '")
	p, rest, placed := parse.PlaceAt(text)
	placed = placed && strings.HasSuffix(p.File, "hs")
	if placed && t.p.File == "" {
		t.p = p
	}
	if !hint && !(placed && rest == "") && !strings.HasPrefix(text, "Use --quickcheck-replay") {
		t.msg = append(t.msg, text)
	}
	if hint || placed || hasAnyPrefix(text, "*** Failed!", "Exception: ", "expected:", "Test output was different",
		"Timed out after ") {
		t.known()
	}
	if _, at, ok := strings.Cut(text, ", called at "); ok && t.p.File == "" {
		t.p, _, _ = ghcPlace(at + ":")
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
		return parse.Last
	}
	return parse.Take
}

// known makes the failure certain. It is called when a line below the mark of the failure shows that the runner is
// tasty.
func (t *tasty) known() {
	if t.d.Weight == parse.Status {
		t.d.Weight, t.d.Tool, t.d.Message = parse.Certain, "tasty", t.name
	}
}
