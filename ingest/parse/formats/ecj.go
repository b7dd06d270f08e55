package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// ecjFormat reads the Eclipse compiler for Java, alone or under Ant.
var ecjFormat = parse.Format{
	Name:     "ecj",
	About:    "the Eclipse compiler for Java",
	Triggers: []string{". ERROR in ", ". WARNING in ", ". INFO in "},
	New:      parse.Stateless(matchEcj),
}

// matchEcj reads
//
//  1. ERROR in /x/A.java (at line 3)
//     int x = "s";
//     ^^^
//     Type mismatch: cannot convert from String to int
//     ----------
func matchEcj(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	_, digits := parse.Number(text)
	if digits == 0 || !strings.HasPrefix(text[digits:], ". ") {
		return false
	}
	word, rest, ok := strings.Cut(text[digits+2:], " in ")
	file, at, ok2 := strings.Cut(rest, " (at line ")
	if !ok || !ok2 || !parse.IsFileName(file) {
		return false
	}
	e := store.Event{File: file, Category: store.CategoryCompile}
	e.Line, _ = parse.Number(at)
	switch word {
	case "ERROR":
	case "WARNING":
		e.Severity = store.SeverityWarning
	case "INFO":
		e.Severity = store.SeverityInfo
	default:
		return false
	}
	d := s.Add(parse.Draft{Event: e})
	source := 0
	s.Block(func(l parse.Line) parse.Verdict {
		trimmed := l.Trim()
		switch {
		case strings.HasPrefix(trimmed, "----------"):
			return parse.Last
		case l.N > d.LogLine+12 || trimmed == "":
			return parse.Done
		case source < 2 && strings.HasPrefix(l.Text, "\t"): // the source, then carets below it
			if source++; source == 2 {
				d.Column = strings.IndexByte(l.Text, '^')
			}
		case d.Message == "":
			d.Message = trimmed
		default:
			d.Message += "\n" + trimmed
		}
		d.Extend(l)
		return parse.Take
	})
	return true
}
