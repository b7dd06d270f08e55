package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// fortranFormat reads gfortran, which writes the place first, then the source,
// and the message below.
var fortranFormat = Format{
	Name:     "gfortran",
	About:    "gfortran: errors and warnings",
	Triggers: append(append(eachDigit(".f:", ""), eachDigit(".F:", "")...), ".f90:", ".F90:", ".f95:", ".f03:", ".f08:", ".for:", ".F95:", ".F03:", ".F08:"),
	New:      stateless(matchFortran),
}

func matchFortran(s *Scan, l Line) bool {
	p, rest, ok := placeAt(l.Trim())
	if !ok || rest != "" || l.Indent() > 0 || p.Column == 0 && !strings.HasSuffix(l.Text, ":") {
		return false
	}
	at, lines := l.N, 0
	s.Block(func(l Line) Verdict {
		text := l.Trim()
		lines++
		severity, message, ok := severityAt(text)
		if !ok {
			message, ok = strings.CutPrefix(text, "Fatal Error: ")
			severity = store.SeverityError
		}
		switch {
		case ok && severity != store.SeverityInfo:
			message, flag := cutFlag(message)
			s.Add(Draft{Event: store.Event{Severity: severity, File: p.File, Line: p.Line, Column: p.Column, Message: message, Code: warningFlag(flag),
				Category: store.CategoryCompile, LogLine: at, LogLineEnd: l.N}})
			return Last
		case lines > 12, text != "" && l.Indent() == 0 && !isGutter(l.Text) && !strings.HasSuffix(text, ":"):
			return Done
		}
		return Take
	})
	return true
}
