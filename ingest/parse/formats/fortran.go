package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// fortranFormat reads gfortran, which prints the place, then the source, then the message.
func fortranFormat() parse.Format {
	return parse.Format{
		Name:  "gfortran",
		About: "gfortran: errors and warnings",
		Triggers: append(append(eachDigit(".f:", ""), eachDigit(".F:", "")...), ".f90:", ".F90:", ".f95:", ".f03:", ".f08:",
			".for:", ".F95:", ".F03:", ".F08:"),
		Match: matchFortran,
	}
}

func matchFortran(s *parse.Scan, l parse.Line) bool {
	p, rest, ok := parse.PlaceAt(l.Trim())
	if !ok || rest != "" || l.Indent() > 0 || p.Column == 0 && !strings.HasSuffix(l.Text, ":") {
		return false
	}
	at, lines := l.N, 0
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		lines++
		severity, message, ok := parse.SeverityAt(text)
		if !ok {
			message, ok = strings.CutPrefix(text, "Fatal Error: ")
			severity = store.SeverityError
		}
		switch {
		case ok && severity != store.SeverityInfo:
			message, flag := cutFlag(message)
			s.Add(parse.Draft{Event: store.Event{Severity: severity, File: p.File, Line: p.Line, Column: p.Column,
				Message: message, Code: warningFlag(flag),
				Category: store.CategoryCompile, LogLine: at, LogLineEnd: l.N}})
			return parse.Last
		case lines > 12, text != "" && l.Indent() == 0 && !isGutter(l.Text) && !strings.HasSuffix(text, ":"):
			return parse.Done
		}
		return parse.Take
	})
	return true
}
