package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// sassFormat reads Dart Sass ("Error: message", a framed excerpt, the place) and Less ("ParseError: message in file on
// line 2, column 1:").
var sassFormat = parse.Format{
	Name:     "sass",
	About:    "Sass and Less compilers",
	Triggers: []string{"╷", ".less on line "},
	Starts:   []string{"Error: ", "SassError: ", "  ,"},
	Lines: parse.Lines{
		{Text: "{code}: {message} in {file} on line {line}{?, column {column}}{*}", Tool: "less",
			Category: store.CategoryCompile, If: isLess},
	},
	New: func() parse.Matcher { return new(sass).match },
}

// isLess reports whether the code is the class of a Less error: ParseError, NameError.
func isLess(d *parse.Draft) bool { return strings.HasSuffix(d.Code, "Error") }

type sass struct {
	message string // newest line that may begin an error
	line    int
}

func (m *sass) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if rest, ok := cutAny(text, "Error: ", "SassError: "); ok {
		m.message, m.line = rest, l.N
		return false
	}
	if text != "╷" && text != "," || m.line == 0 || l.N-m.line > 5 {
		return false
	}
	d := s.Add(parse.Draft{Event: store.Event{Message: m.message, Category: store.CategoryCompile, LogLine: m.line,
		LogLineEnd: l.N}})
	m.line = 0
	ended := false
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		switch {
		case text == "╵" || text == "'":
			ended = true
		case ended && !sassPlace(d, text):
			return parse.Done
		case text == "":
			return parse.Done
		}
		d.Extend(l)
		return parse.Take
	})
	return true
}

// sassPlace reads "src/b.scss 2:4  root stylesheet". The first such line has the place of the error.
func sassPlace(d *parse.Draft, text string) bool {
	file, rest, ok := strings.Cut(text, " ")
	line, n := parse.Number(rest)
	if !ok || n == 0 || n >= len(rest) || rest[n] != ':' || !parse.IsFileName(file) {
		return false
	}
	column, _ := parse.Number(rest[n+1:])
	d.At(file, line, column)
	return true
}
