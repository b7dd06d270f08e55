package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// awesomebotFormat reads awesome_bot, a checker of links in documents.
var awesomebotFormat = parse.Format{
	Name:   "awesome_bot",
	About:  "awesome_bot: dead, moved and repeated links",
	Starts: []string{"Issues :-("},
	Match:  matchAwesomeBot,
}

// matchAwesomeBot reads the list of issues:
//
//	Issues :-(
//	> Links
//	  1. [L296] 301 https://a.example  → https://b.example
//	> Dupes
//	  None ✓
func matchAwesomeBot(s *parse.Scan, l parse.Line) bool {
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		n, dot := parse.Number(text)
		switch {
		case text == "" || strings.HasPrefix(text, "Wrote "):
			return parse.Done
		case dot == 0 || n == 0 || !strings.HasPrefix(text[dot:], ". "):
			return parse.Take
		}
		e := store.Event{Message: text[dot+2:], Category: store.CategoryLint}
		if at, rest, ok := strings.Cut(e.Message, "] "); ok && strings.HasPrefix(at, "[L") {
			e.Line, _ = parse.Number(strings.TrimLeft(at[2:], "0"))
			e.Message = rest
		}
		if _, n := parse.Number(e.Message); n == 3 && strings.HasPrefix(e.Message[3:], " ") {
			e.Code = e.Message[:3]
		}
		s.Add(parse.Draft{Event: e})
		return parse.Take
	})
	return true
}
