package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// htmlhintFormat reads HTMLHint's default output: the file, then for each
// finding the source line and a caret with the message.
var htmlhintFormat = Format{
	Name:     "htmlhint",
	About:    "HTMLHint",
	Triggers: []string{".html", ".htm"},
	Starts:   []string{"      L"},
	New:      func() Matcher { return new(htmlhint).match },
}

type htmlhint struct{ file string }

func (h *htmlhint) match(s *Scan, l Line) bool {
	if l.Indent() == 3 && isFileName(l.Trim()) {
		h.file = l.Trim()
		return false
	}
	rest, ok := strings.CutPrefix(l.Text, "      L")
	line, n := number(rest)
	if !ok || n == 0 || h.file == "" || !strings.HasPrefix(rest[n:], " |") {
		return false
	}
	source := l
	s.Block(func(l Line) Verdict {
		message, ok := strings.CutPrefix(l.Trim(), "^ ")
		if !ok {
			return Done
		}
		e := store.Event{File: h.file, Line: line, Category: store.CategoryLint, LogLine: source.N, LogLineEnd: l.N}
		e.Message, e.Code = cutParens(message, '(', ')')
		s.Add(Draft{Event: e})
		return Last
	})
	return true
}
