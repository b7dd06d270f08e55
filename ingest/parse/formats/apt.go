package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// aptFormat reads apt and dpkg.
var aptFormat = parse.Format{
	Name:   "apt",
	About:  "apt and dpkg: packages that cannot be found, fetched or configured",
	Starts: []string{"E: ", "W: ", "Err:", "dpkg: error", "dpkg-deb: error"},
	Match:  matchApt,
}

func matchApt(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if message, ok := strings.CutPrefix(text, "E: "); ok {
		d := parse.Draft{Key: message, Event: store.Event{Message: message, Category: store.CategoryBuild}}
		for _, w := range [...]string{"Sub-process ", "Some index files failed", "Unable to fetch some archives",
			"Aborting install", "Couldn't rebuild package cache", `Failure("Command `} { // the last is of OASIS
			if strings.HasPrefix(message, w) {
				d.Weight = parse.Repeat
			}
		}
		s.Add(d)
		return true
	}
	if message, ok := strings.CutPrefix(text, "W: "); ok {
		s.Add(parse.Draft{Key: message,
			Event: store.Event{Severity: store.SeverityWarning, Message: message, Category: store.CategoryBuild}})
		return true
	}
	message, ok := strings.CutPrefix(text, "dpkg: error")
	if !ok {
		return strings.HasPrefix(text, "Err:") // "E: Failed to fetch" repeats it
	}
	d := s.Add(parse.Draft{Event: store.Event{Tool: "dpkg", Message: strings.TrimLeft(message, ": "),
		Category: store.CategoryBuild}})
	s.Block(parse.Below{Indent: 1, Lines: 4, Join: " "}.Block(d)) // the reason
	return true
}
