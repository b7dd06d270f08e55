package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// awesomebotFormat reads awesome_bot, which checks the links of a document.
var awesomebotFormat = Format{
	Name:   "awesome_bot",
	About:  "awesome_bot: dead, moved and repeated links",
	Starts: []string{"Issues :-("},
	New:    stateless(matchAwesomeBot),
}

// matchAwesomeBot reads the list of issues:
//
//	Issues :-(
//	> Links
//	  1. [L296] 301 https://a.example  → https://b.example
//	> Dupes
//	  None ✓
func matchAwesomeBot(s *Scan, l Line) bool {
	s.Block(func(l Line) Verdict {
		text := l.Trim()
		n, dot := number(text)
		switch {
		case text == "" || strings.HasPrefix(text, "Wrote "):
			return Done
		case dot == 0 || n == 0 || !strings.HasPrefix(text[dot:], ". "):
			return Take
		}
		e := store.Event{Message: text[dot+2:], Category: store.CategoryLint}
		if at, rest, ok := strings.Cut(e.Message, "] "); ok && strings.HasPrefix(at, "[L") {
			e.Line, _ = number(strings.TrimLeft(at[2:], "0"))
			e.Message = rest
		}
		if _, n := number(e.Message); n == 3 && strings.HasPrefix(e.Message[3:], " ") {
			e.Code = e.Message[:3]
		}
		s.Add(Draft{Event: e})
		return Take
	})
	return true
}
