package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// ecjFormat reads the Eclipse compiler for Java, alone or under Ant.
var ecjFormat = Format{
	Name:     "ecj",
	About:    "the Eclipse compiler for Java",
	Triggers: []string{". ERROR in ", ". WARNING in ", ". INFO in "},
	New:      stateless(matchEcj),
}

// matchEcj reads
//
//  1. ERROR in /x/A.java (at line 3)
//     int x = "s";
//     ^^^
//     Type mismatch: cannot convert from String to int
//     ----------
func matchEcj(s *Scan, l Line) bool {
	text := l.Trim()
	_, digits := number(text)
	if digits == 0 || !strings.HasPrefix(text[digits:], ". ") {
		return false
	}
	word, rest, ok := strings.Cut(text[digits+2:], " in ")
	file, at, ok2 := strings.Cut(rest, " (at line ")
	if !ok || !ok2 || !isFileName(file) {
		return false
	}
	e := store.Event{File: file, Category: store.CategoryCompile}
	e.Line, _ = number(at)
	switch word {
	case "ERROR":
	case "WARNING":
		e.Severity = store.SeverityWarning
	case "INFO":
		e.Severity = store.SeverityInfo
	default:
		return false
	}
	d := s.Add(Draft{Event: e})
	source := 0
	s.Block(func(l Line) Verdict {
		trimmed := l.Trim()
		switch {
		case strings.HasPrefix(trimmed, "----------"):
			return Last
		case l.N > d.LogLine+12 || trimmed == "":
			return Done
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
		return Take
	})
	return true
}
