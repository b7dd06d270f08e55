package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// mypyFormat reads mypy: "a.py:5: error: message  [code]", with columns,
// without a line, and wrapped by --pretty.
var mypyFormat = parse.Format{
	Name:     "mypy",
	About:    "mypy: Python type errors",
	Triggers: []string{": error: ", ": note: "},
	Starts:   []string{"mypy: error: ", "mypy: can't read file"},
	New:      parse.Stateless(matchMypy),
}

func matchMypy(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if rest, ok := strings.CutPrefix(text, "mypy: "); ok {
		s.Add(parse.Draft{Event: store.Event{Message: strings.TrimPrefix(rest, "error: "), Category: store.CategoryType, Code: "usage"}})
		return true
	}
	p, rest, ok := mypyPlace(text)
	if !ok {
		return false
	}
	severity, message, ok := parse.SeverityAt(rest)
	if !ok || severity == store.SeverityWarning {
		return false
	}
	if severity == store.SeverityInfo { // a note on the error before it, or a reveal_type
		return true
	}
	d := s.Add(parse.Draft{Event: store.Event{File: p.File, Line: p.Line, Column: p.Column, Category: store.CategoryType}})
	d.Message, d.Code = cutCode(message)
	if d.Code == "syntax" {
		d.Category = store.CategoryCompile
	}
	s.Block(mypyPretty(d, len(text)))
	return true
}

// mypyPlace reads the place, of which mypy may know the file only.
func mypyPlace(text string) (p parse.Place, rest string, ok bool) {
	i := strings.Index(text, ".py")
	if i < 0 {
		return p, text, false
	}
	end := i + len(".py")
	if strings.HasPrefix(text[end:], "i") {
		end++
	}
	if strings.HasPrefix(text[end:], ": ") && strings.IndexByte(text[:end], ' ') < 0 {
		return parse.Place{File: text[:end]}, text[end+2:], true
	}
	p, rest, ok = parse.PlaceAt(text)
	if !ok || !strings.HasSuffix(p.File, ".py") && !strings.HasSuffix(p.File, ".pyi") {
		return p, text, false
	}
	if _, n := parse.Number(rest); n > 0 { // --show-error-end: end line and column
		if j := strings.Index(rest, ": "); j > 0 && strings.Trim(rest[:j], "0123456789:") == "" {
			rest = rest[j+2:]
		}
	}
	return p, rest, true
}

// cutCode splits "message  [code]".
func cutCode(message string) (text, code string) {
	if rest, ok := strings.CutSuffix(message, "]"); ok {
		if i := strings.LastIndex(rest, " ["); i >= 0 && strings.Trim(rest[i+2:], "abcdefghijklmnopqrstuvwxyz-") == "" {
			return strings.TrimRight(rest[:i], " "), rest[i+2:]
		}
	}
	return message, ""
}

// mypyPretty returns the block of what --pretty adds: the rest of a message
// that was wrapped at the terminal's width, the source line and a marker.
func mypyPretty(d *parse.Draft, width int) func(parse.Line) parse.Verdict {
	lines, source := 0, false
	return func(l parse.Line) parse.Verdict {
		text := l.Trim()
		lines++
		switch {
		case l.Indent() >= 4 && text != "" && lines < 8:
			d.Extend(l)
			source = true
			if strings.Trim(text, "^~") == "" {
				return parse.Last
			}
			return parse.Take
		case source || d.Code != "" || width < 50 || width > 200 || lines > 5 || l.Indent() > 0 || text == "" || strings.HasPrefix(text, "Found "):
			return parse.Done
		}
		rest, code := cutCode(" " + text)
		if _, _, ok := mypyPlace(text); ok || code == "" && len(text) < 50 {
			return parse.Done
		}
		d.Message, d.Code = strings.TrimSpace(d.Message+rest), code
		d.Extend(l)
		return parse.Take
	}
}
