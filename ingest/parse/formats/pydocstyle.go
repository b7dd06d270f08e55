package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// pydocstyleFormat reads pydocstyle: a line with the place and the documented object, and then a line with the finding.
var pydocstyleFormat = parse.Format{
	Name:     "pydocstyle",
	About:    "pydocstyle: Python docstrings",
	Triggers: []string{" at module level:", " in public ", " in private ", " in nested "},
	Match:    matchPydocstyle,
}

func matchPydocstyle(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	i := strings.Index(text, ".py:")
	if i < 0 || text[len(text)-1] != ':' {
		return false
	}
	line, n := parse.Number(text[i+4:])
	if rest := text[i+4+n:]; n == 0 || !strings.HasPrefix(rest, " in ") && !strings.HasPrefix(rest, " at ") {
		return false
	}
	first := l.N
	s.Block(func(l parse.Line) parse.Verdict {
		code, message, ok := strings.Cut(l.Trim(), ": ")
		if !ok || !isLintCode(code) {
			return parse.Done
		}
		s.Add(parse.Draft{Event: store.Event{File: text[:i+3], Line: line, Message: message, Code: code,
			Category: store.CategoryLint, LogLine: first, LogLineEnd: l.N}})
		return parse.Last
	})
	return true
}
