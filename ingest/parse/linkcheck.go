package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// linkcheckFormat reads checkers of links: linkinator's "[404] URL" and the
// list of issues of awesome_bot.
var linkcheckFormat = Format{
	Name:     "linkcheck",
	About:    "broken links: linkinator, awesome_bot",
	Triggers: []string{"] http", "broken links. Scanned ", "Issues :-("},
	Starts:   []string{"[4", "[5", "[0]", "  [4", "  [5", "  [0]"},
	New:      stateless(matchLinkcheck),
}

func matchLinkcheck(s *Scan, l Line) bool {
	text := l.Trim()
	switch {
	case text == "Issues :-(":
		s.Block((&awesomeBot{s: s}).line)
		return true
	case strings.Contains(text, " broken links. Scanned "):
		_, message, _ := strings.Cut(text, "ERROR: ")
		if message != "" && !strings.HasPrefix(message, "Detected 0 ") {
			s.Add(Draft{Weight: Repeat, Event: store.Event{Tool: "linkinator", Message: message, Category: store.CategoryLint}})
		}
		return true
	}
	status, url, ok := strings.Cut(text, "] ")
	if !ok || !strings.HasPrefix(status, "[") || len(status) > 4 || !allDigits(status[1:]) || url == "" || strings.IndexByte(url, ' ') >= 0 {
		return false
	}
	if status[1] == '2' || status[1] == '3' || !strings.ContainsAny(url, "/.") {
		return status[1] == '2' || status[1] == '3'
	}
	d := Draft{Key: url, Event: store.Event{Tool: "linkinator", Code: status[1:], Message: url, Category: store.CategoryLint}}
	if l.Indent() == 0 { // while it crawls; the list by page follows
		d.Rank = Mark
	}
	s.Add(d)
	return true
}

// awesomeBot reads "> Links" and "> Dupes" below "Issues :-(".
type awesomeBot struct {
	s     *Scan
	lines int
}

func (a *awesomeBot) line(l Line) Verdict {
	text := l.Trim()
	a.lines++
	switch {
	case text == "":
		return Done
	case strings.HasPrefix(text, "> ") || strings.HasPrefix(text, "None "):
		return Take
	}
	_, n := number(text)
	rest, ok := strings.CutPrefix(text[n:], ". ")
	if n == 0 || !ok {
		return Done
	}
	e := store.Event{Tool: "awesome_bot", Category: store.CategoryLint}
	if at, after, ok := strings.Cut(rest, "] "); ok && strings.HasPrefix(at, "[L") {
		e.Line, _ = number(at[2:])
		rest = strings.TrimSpace(after)
	}
	if code, n := number(rest); n == 3 && code >= 100 {
		e.Code, rest = rest[:3], strings.TrimSpace(rest[3:])
	}
	e.Message = rest
	a.s.Add(Draft{Event: e})
	return Take
}
