package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// pydocstyleFormat reads pydocstyle: the place with a description of what is
// there, then the finding on a line of its own.
var pydocstyleFormat = Format{
	Name:     "pydocstyle",
	About:    "pydocstyle: Python docstrings",
	Triggers: []string{" at module level:", " in public ", " in private ", " in nested "},
	New:      stateless(matchPydocstyle),
}

func matchPydocstyle(s *Scan, l Line) bool {
	text := l.Trim()
	i := strings.Index(text, ".py:")
	if i < 0 || text[len(text)-1] != ':' {
		return false
	}
	line, n := number(text[i+4:])
	if rest := text[i+4+n:]; n == 0 || !strings.HasPrefix(rest, " in ") && !strings.HasPrefix(rest, " at ") {
		return false
	}
	first := l.N
	s.Block(func(l Line) Verdict {
		code, message, ok := strings.Cut(l.Trim(), ": ")
		if !ok || !isLintCode(code) {
			return Done
		}
		s.Add(Draft{Event: store.Event{File: text[:i+3], Line: line, Message: message, Code: code, Category: store.CategoryLint, LogLine: first, LogLineEnd: l.N}})
		return Last
	})
	return true
}
