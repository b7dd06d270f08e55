package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// htmlhintFormat reads HTMLHint's default output: the file, and for each finding the source line and a caret with the
// message.
var htmlhintFormat = parse.Format{
	Name:     "htmlhint",
	About:    "HTMLHint",
	Triggers: []string{".html", ".htm"},
	Starts:   []string{"      L"},
	New:      func() parse.Matcher { return new(htmlhint).match },
}

type htmlhint struct{ file string }

func (h *htmlhint) match(s *parse.Scan, l parse.Line) bool {
	if l.Indent() == 3 && parse.IsFileName(l.Trim()) {
		h.file = l.Trim()
		return false
	}
	rest, ok := strings.CutPrefix(l.Text, "      L")
	line, n := parse.Number(rest)
	if !ok || n == 0 || h.file == "" || !strings.HasPrefix(rest[n:], " |") {
		return false
	}
	source := l
	s.Block(func(l parse.Line) parse.Verdict {
		message, ok := strings.CutPrefix(l.Trim(), "^ ")
		if !ok {
			return parse.Done
		}
		e := store.Event{File: h.file, Line: line, Category: store.CategoryLint, LogLine: source.N, LogLineEnd: l.N}
		e.Message, e.Code = cutParens(message, '(', ')')
		s.Add(parse.Draft{Event: e})
		return parse.Last
	})
	return true
}
