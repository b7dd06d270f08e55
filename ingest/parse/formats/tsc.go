package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// tscFormat reads the TypeScript compiler, plain and pretty, and what wraps
// it (ts-node, ts-jest, ts-loader, ng build), which print its lines as they are.
var tscFormat = parse.Format{
	Name:     "tsc",
	About:    "TypeScript compiler: tsc, tsc --build, --pretty, --watch, and ng build",
	Triggers: []string{"error TS", "warning TS", " - error NG", "error NG"},
	New:      parse.Stateless(matchTSC),
}

func matchTSC(s *parse.Scan, l parse.Line) bool {
	d, ok := tscLine(l.Trim())
	if !ok {
		return false
	}
	p := s.Add(d)
	indent, first := l.Indent(), true
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if first && text != "" && l.Indent() > indent && !isCodeFrame(l.Text) && !strings.Contains(text, "error TS") {
			p.Extend(l) // the chain of reasons
			return parse.Take
		}
		first = false
		return tscExcerpt(p, l, text)
	})
	return true
}

// tscExcerpt takes the source lines that --pretty shows after an error, and
// the places that belong to it, which are indented.
func tscExcerpt(p *parse.Draft, l parse.Line, text string) parse.Verdict {
	switch {
	case text == "" || strings.Trim(text, "~^ ") == "":
		return parse.Take
	case strings.Contains(text, "error TS") || strings.HasPrefix(text, "Found "):
		return parse.Done
	case parse.IsDigit(l.Text[0]) && strings.IndexByte(l.Text, ' ') > 0: // "12   return u.nme;"
		if _, n := parse.Number(l.Text); l.Text[n] != ' ' {
			return parse.Done
		}
	case l.Indent() < 2:
		return parse.Done
	}
	p.Extend(l)
	return parse.Take
}

// tscLine reads "a.ts(1,2): error TS1: m", "a.ts:1:2 - error TS1: m",
// "Error: a.ts:1:2 - error TS1: m" and "error TS1: m".
func tscLine(text string) (parse.Draft, bool) {
	text = strings.TrimPrefix(strings.TrimPrefix(text, "✘ [ERROR] "), "ERROR in ")
	text, _ = cutAny(text, "Error: ", "ERROR: ", "ERROR ")
	e := store.Event{Category: store.CategoryType}
	p, rest, ok := parse.PlaceAt(text)
	if ok {
		e.File, e.Line, e.Column = p.File, p.Line, p.Column
		rest = strings.TrimPrefix(rest, "- ")
	} else {
		rest = text
	}
	switch {
	case strings.HasPrefix(rest, "error "):
		rest = rest[len("error "):]
	case strings.HasPrefix(rest, "warning "):
		rest = rest[len("warning "):]
		e.Severity = store.SeverityWarning
	default:
		return parse.Draft{}, false
	}
	code, message, found := strings.Cut(rest, ": ")
	if !found || len(code) < 3 || code[:2] != "TS" && code[:2] != "NG" || !parse.AllDigits(strings.TrimPrefix(code[2:], "-")) {
		return parse.Draft{}, false
	}
	e.Code, e.Message = code, strings.TrimSpace(message)
	if strings.HasPrefix(code, "TS1") && len(code) == 6 || code == "TS17004" {
		e.Category = store.CategoryCompile // 1000 to 1999 are syntax
	}
	return parse.Draft{Event: e}, e.Message != ""
}
