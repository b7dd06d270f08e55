package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// linkinatorFormat reads linkinator's broken links: "[404] URL". linkinator prints a link while it crawls, and again
// below the page that contains it.
var linkinatorFormat = parse.Format{
	Name:     "linkinator",
	About:    "linkinator: broken links",
	Triggers: []string{"] http", "broken links. Scanned "},
	Starts:   []string{"[4", "[5", "[0]", "  [4", "  [5", "  [0]"},
	Match:    matchLinkinator,
}

func matchLinkinator(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case strings.Contains(text, " broken links. Scanned "):
		_, message, _ := strings.Cut(text, "ERROR: ")
		if message != "" && !strings.HasPrefix(message, "Detected 0 ") {
			s.Add(parse.Draft{Weight: parse.Repeat, Event: store.Event{Message: message, Category: store.CategoryLint}})
		}
		return true
	}
	status, url, ok := strings.Cut(text, "] ")
	if !ok || !strings.HasPrefix(status, "[") || len(status) != 4 && status != "[0" || !parse.AllDigits(status[1:]) ||
		url == "" || strings.IndexByte(url, ' ') >= 0 {
		return false
	}
	if status[1] == '2' || status[1] == '3' || !strings.ContainsAny(url, "/.") {
		return status[1] == '2' || status[1] == '3'
	}
	d := parse.Draft{Key: url, Event: store.Event{Code: status[1:], Message: url, Category: store.CategoryLint}}
	if l.Indent() == 0 { // printed while linkinator crawls; the list by page follows
		d.Rank = parse.Mark
	}
	s.Add(d)
	return true
}
