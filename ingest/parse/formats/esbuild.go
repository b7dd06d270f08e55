package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// esbuildFormat reads esbuild and tools built on it: "✘ [ERROR] message", and below it the place and the source line.
// Versions before 0.12 print " > file:1:2: error: message".
var esbuildFormat = parse.Format{
	Name:     "esbuild",
	About:    "esbuild, and ng build, tsup, wrangler and others built on it",
	Triggers: []string{"✘ [ERROR] ", "▲ [WARNING] ", "X [ERROR] ", ": ERROR: "},
	Starts:   []string{" > "},
	Lines: parse.Lines{
		{Text: "> {place}: {severity}: {message}", Category: store.CategoryCompile}, // before 0.12
	},
	New: func() parse.Matcher { return (&esbuild{said: said{}}).match },
}

// esbuild remembers the findings that esbuild has reported. An exception of the program that uses esbuild may repeat
// these findings.
type esbuild struct{ said said }

var esbuildException = parse.Lines{
	{Text: "{place+column}: ERROR: {message}", Category: store.CategoryCompile, If: isESBuildFile, Then: nextColumn},
	{Text: "{file}:{line}:0: ERROR: {message}", Category: store.CategoryCompile, If: isESBuildFile, Then: nextColumn},
}

// nextColumn corrects a column that was counted from 0.
func nextColumn(d *parse.Draft) { d.Column++ }

// isESBuildFile reports whether the place is in a file that esbuild reads.
func isESBuildFile(d *parse.Draft) bool {
	return isJSFile(d.File) || hasAnySuffix(d.File, ".css", ".html")
}

func (b *esbuild) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if d, ok := esbuildException.Read(text); ok {
		if !b.said[findingKey(d.Event)] {
			s.Add(d)
		}
		return true
	}
	e := store.Event{Category: store.CategoryCompile}
	rest, ok := cutAny(text, "✘ [ERROR] ", "X [ERROR] ")
	if !ok {
		if rest, ok = cutAny(text, "▲ [WARNING] "); !ok {
			return false
		}
		e.Severity = store.SeverityWarning
	}
	if i := strings.LastIndex(rest, " [plugin "); i > 0 && strings.HasSuffix(rest, "]") {
		rest = rest[:i]
	}
	if code, message, ok := strings.Cut(rest, ": "); ok && len(code) > 4 && (code[:2] == "TS" || code[:2] == "NG") &&
		parse.AllDigits(strings.TrimPrefix(code[2:], "-")) {
		e.Tool, e.Code, rest, e.Category = "tsc", code, message, store.CategoryType
	}
	e.Message = rest
	if e.Code == "" {
		e.Message, e.Code = cutParens(rest, '[', ']')
	}
	d := s.Add(parse.Draft{Event: e})
	n := 0
	s.Block(func(l parse.Line) parse.Verdict {
		n++
		text := l.Trim()
		switch {
		case text == "" && n < 8:
			return parse.Take
		case l.Indent() < 2 || n > 30:
			return parse.Done
		case strings.HasSuffix(text, ":") && d.File == "":
			if p, ok := jsPlace(strings.TrimSuffix(text, ":")); ok && parse.IsFileName(p.File) {
				d.At(p.File, p.Line, p.Column+1)
				b.said.add(findingKey(d.Event))
			}
		}
		d.Extend(l)
		return parse.Take
	})
	return true
}
