package formats

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// svelteFormat reads svelte-check: the place on one line and the finding on the next. It also reads the forms of
// --output machine and --output machine-verbose.
var svelteFormat = parse.Format{
	Name:     "svelte-check",
	About:    "svelte-check: human, machine and machine-verbose output",
	Triggers: []string{".svelte:", " ERROR \"", " WARNING \"", `"filename":"`},
	Starts:   []string{"Error: ", "Warn: ", "/"},
	Lines: parse.Lines{
		// svelte-check prints this form with --output machine.
		{Text: `{#} {severity} "{path}" {line}:{column} "{message}"`,
			Category: store.CategoryType, Then: gradeSvelteLint},
	},
	New: func() parse.Matcher { return new(svelte).match },
}

type svelte struct {
	at   parse.Place
	line int // line of the place
}

func (v *svelte) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if _, finding, ok := strings.Cut(text, ` {"type":"`); ok && parse.IsDigit(text[0]) {
		return svelteVerbose(s, `{"type":"`+finding)
	}
	if p, ok := jsPlace(text); ok && p.Column > 0 && parse.IsAbs(p.File) && strings.IndexByte(text, ' ') < 0 {
		v.at, v.line = p, l.N
		return false
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
	e := store.Event{File: v.at.File, Line: v.at.Line, Column: v.at.Column, Category: store.CategoryType,
		LogLine: v.line, LogLineEnd: l.N}
	e.Message, e.Code = cutParens(message, '(', ')')
	if !isError {
		e.Severity, e.Category = store.SeverityWarning, store.CategoryLint
	}
	s.Add(parse.Draft{Event: e})
	return true
}

// svelteVerbose reads a finding of --output machine-verbose. Its lines and columns count from 0.
func svelteVerbose(s *parse.Scan, finding string) bool {
	var f struct {
		Type, Filename, Message string
		Code                    any
		Start                   *struct{ Line, Character int }
	}
	if json.Unmarshal([]byte(finding), &f) != nil || f.Start == nil || f.Type != "ERROR" && f.Type != "WARNING" {
		return false
	}
	d := parse.Draft{Event: store.Event{File: f.Filename, Line: f.Start.Line + 1, Column: f.Start.Character + 1,
		Message: f.Message, Category: store.CategoryType, Severity: parse.SeverityOf(strings.ToLower(f.Type), "")}}
	if f.Code != nil {
		d.Code = fmt.Sprint(f.Code)
	}
	gradeSvelteLint(&d)
	s.Add(d)
	return true
}

// gradeSvelteLint sets the category of warnings to lint, because they are about style and accessibility. It also
// replaces each \n in the message by a line break.
func gradeSvelteLint(d *parse.Draft) {
	d.Message = strings.ReplaceAll(d.Message, `\n`, "\n")
	if d.Severity == store.SeverityWarning {
		d.Category = store.CategoryLint
	}
}
