package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// sqlfluffFormat reads SQLFluff: the file, then a row for each violation.
var sqlfluffFormat = parse.Format{
	Name:   "sqlfluff",
	About:  "SQLFluff: linted and parsed SQL",
	Starts: []string{"== [", "L: "},
	New:    func() parse.Matcher { return new(sqlfluff).match },
}

type sqlfluff struct{ file string }

func (f *sqlfluff) match(s *parse.Scan, l parse.Line) bool {
	if rest, ok := strings.CutPrefix(l.Text, "== ["); ok {
		file, _, ok := strings.Cut(rest, "] ")
		if ok {
			f.file = file
		}
		return ok
	}
	row := strings.SplitN(l.Text, " | ", 4) // L:   3 | P:   5 | LT01 | message
	if f.file == "" || len(row) < 4 || !strings.HasPrefix(row[1], "P: ") {
		return false
	}
	line, _ := parse.Number(strings.TrimSpace(row[0][2:]))
	column, _ := parse.Number(strings.TrimSpace(row[1][2:]))
	d := s.Add(parse.Draft{Event: store.Event{File: f.file, Line: line, Column: column, Code: strings.TrimSpace(row[2]), Message: strings.TrimSpace(row[3]), Category: store.CategoryLint}})
	s.Block(func(l parse.Line) parse.Verdict { // the message goes on below itself, the rule's name ends it
		rest, ok := strings.CutPrefix(l.Trim(), "| ")
		if !ok || !strings.HasPrefix(l.Text, "     ") {
			return parse.Done
		}
		d.Extend(l)
		d.Message += " " + strings.TrimSpace(rest)
		if i := strings.LastIndex(d.Message, " ["); strings.HasSuffix(d.Message, "]") {
			d.Message = strings.TrimSpace(d.Message[:i])
		}
		return parse.Take
	})
	return true
}

// scalastyleFormat reads Scalastyle's command line.
var scalastyleFormat = parse.Format{
	Name:   "scalastyle",
	About:  "Scalastyle: its command line and sbt's scalastyle",
	Starts: []string{"error file=", "warning file="},
	New:    parse.Stateless(matchScalastyle),
}

// matchScalastyle reads "warning file=/x/A.scala message=text line=6 column=7".
func matchScalastyle(s *parse.Scan, l parse.Line) bool {
	word, rest, _ := strings.Cut(l.Text, " file=")
	file, rest, ok := strings.Cut(rest, " message=")
	if !ok {
		return false
	}
	e := store.Event{File: file, Category: store.CategoryLint}
	if word == "warning" {
		e.Severity = store.SeverityWarning
	}
	if i := strings.LastIndex(rest, " column="); i >= 0 {
		e.Column, _ = parse.Number(rest[i+len(" column="):])
		rest = rest[:i]
	}
	if i := strings.LastIndex(rest, " line="); i >= 0 {
		e.Line, _ = parse.Number(rest[i+len(" line="):])
		rest = rest[:i]
	}
	e.Message = rest
	s.Add(parse.Draft{Event: e})
	return true
}

// checkovFormat reads Checkov: the check, the resource that failed it, its place.
var checkovFormat = parse.Format{
	Name:   "checkov",
	About:  "Checkov: failed checks of infrastructure as code",
	Starts: []string{"Check: CKV"},
	New:    parse.Stateless(matchCheckov),
}

func matchCheckov(s *parse.Scan, l parse.Line) bool {
	code, message, ok := strings.Cut(strings.TrimPrefix(l.Text, "Check: "), ": ")
	if !ok {
		return false
	}
	at := l.N
	var d *parse.Draft
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		switch {
		case l.N > at+8 || text == "" || strings.HasPrefix(text, "Check: ") || strings.HasPrefix(text, "PASSED for ") || strings.HasPrefix(text, "SKIPPED for "):
			return parse.Done
		case strings.HasPrefix(text, "FAILED for "):
			d = s.Add(parse.Draft{Event: store.Event{Code: code, Message: strings.Trim(message, `"`), Category: store.CategoryLint, LogLine: at}})
		case d != nil && strings.HasPrefix(text, "File: "):
			file, lines, _ := strings.Cut(text[len("File: "):], ":")
			n, _ := parse.Number(lines)
			d.At(strings.TrimPrefix(file, "/"), n, 0)
		}
		if d != nil {
			d.Extend(l)
		}
		return parse.Take
	})
	return true
}
