package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// svelteFormat reads svelte-check: the place on one line, the finding on the
// next; and its machine form.
var svelteFormat = parse.Format{
	Name:     "svelte-check",
	About:    "svelte-check: human and machine output",
	Triggers: []string{".svelte:", " ERROR \"", " WARNING \""},
	Starts:   []string{"Error: ", "Warn: ", "/"},
	New:      func() parse.Matcher { return new(svelte).match },
}

type svelte struct {
	at   parse.Place
	line int // of the place
}

func (v *svelte) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if p, ok := jsPlace(text); ok && p.Column > 0 && parse.IsAbs(p.File) && strings.IndexByte(text, ' ') < 0 {
		v.at, v.line = p, l.N
		return false
	}
	if parse.IsDigit(l.Text[0]) {
		return svelteMachine(s, l.Text)
	}
	message, isError := strings.CutPrefix(text, "Error: ")
	if !isError {
		var ok bool
		if message, ok = strings.CutPrefix(text, "Warn: "); !ok {
			return false
		}
	}
	if v.line == 0 || l.N != v.line+1 {
		return false
	}
	e := store.Event{File: v.at.File, Line: v.at.Line, Column: v.at.Column, Category: store.CategoryType, LogLine: v.line, LogLineEnd: l.N}
	e.Message, e.Code = cutParens(message, '(', ')')
	if !isError {
		e.Severity, e.Category = store.SeverityWarning, store.CategoryLint
	}
	s.Add(parse.Draft{Event: e})
	return true
}

// svelteMachine reads `1700000000000 ERROR "src/A.svelte" 2:7 "message"`.
func svelteMachine(s *parse.Scan, text string) bool {
	stamp, rest, _ := strings.Cut(text, " ")
	kind, rest, ok := strings.Cut(rest, ` "`)
	file, rest, ok2 := strings.Cut(rest, `" `)
	at, message, ok3 := strings.Cut(rest, ` "`)
	if !ok || !ok2 || !ok3 || !parse.AllDigits(stamp) || len(stamp) < 10 {
		return false
	}
	e := store.Event{File: file, Message: strings.TrimSuffix(message, `"`), Category: store.CategoryType}
	if kind == "WARNING" {
		e.Severity, e.Category = store.SeverityWarning, store.CategoryLint
	}
	line, n := parse.Number(at)
	if n == 0 || n == len(at) {
		return false
	}
	e.Line = line
	e.Column, _ = parse.Number(at[n+1:])
	s.Add(parse.Draft{Event: e})
	return true
}
