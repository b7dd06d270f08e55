package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// japaFormat reads the errors of Japa 4 and later: "❯ group / test", "ℹ Error: message", and the stack. It also reads
// the errors that other programs print with Youch, which have no name of a test.
var japaFormat = parse.Format{
	Name:   "japa",
	About:  "Japa: failed tests and hooks; errors that Youch prints",
	Levels: true,
	Starts: []string{"❯ ", "ℹ ", "::error "},
	New:    func() parse.Matcher { return (&heading{said: said{}}).japa },
}

// japaReach is the max number of lines between the name of a test and its error. A diff may be between them.
const japaReach = 200

// japa reads an error. Its heading is the name of a test.
func (h *heading) japa(s *parse.Scan, l parse.Line) bool {
	if name, ok := strings.CutPrefix(l.Text, "❯ "); ok {
		h.text, h.at = name, l.N
		return false
	}
	if h.said.again(l) { // in GitHub Actions
		return true
	}
	message, ok := strings.CutPrefix(l.Text, "ℹ ")
	if !ok || !namesError(message) {
		return false
	}
	d := s.Add(parse.Draft{Event: store.Event{Message: message, Category: store.CategoryRuntime}})
	_, message, _ = strings.Cut(message, ": ")
	h.said.add(message)
	if h.at > 0 && l.N-h.at < japaReach {
		d.Test, d.Category, h.at = h.text, store.CategoryTest, 0
		h.said.add(strings.TrimSuffix(h.text, ": Setup hook"))
	}
	var trace jsTrace
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if frame, ok := strings.CutPrefix(text, "⁃ "); ok {
			trace.add("at " + strings.TrimPrefix(frame, "at "))
			trace.tell(d)
		} else if text != "" && !strings.Contains(text, "┃") { // no source line either
			return parse.Done
		}
		d.Extend(l)
		return parse.Take
	})
	return true
}
