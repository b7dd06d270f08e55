package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// sqlfluffFormat reads SQLFluff: the file, and then a row for each violation.
var sqlfluffFormat = parse.Format{
	Name:   "sqlfluff",
	About:  "SQLFluff: linted and parsed SQL",
	Starts: []string{"== [", "L: "},
	New:    func() parse.Matcher { return new(sqlfluff).match },
}

type sqlfluff struct{ file string }

var sqlfluffRow = parse.Lines{{Text: "L:{ }{line} | P:{ }{column} |{ }{code}{ }| {message}"}}

func (f *sqlfluff) match(s *parse.Scan, l parse.Line) bool {
	if rest, ok := strings.CutPrefix(l.Text, "== ["); ok {
		file, _, ok := strings.Cut(rest, "] ")
		if ok {
			f.file = file
		}
		return ok
	}
	row, ok := sqlfluffRow.Read(l.Text)
	if f.file == "" || !ok {
		return false
	}
	row.File = f.file
	d := s.Add(row)
	s.Block(func(l parse.Line) parse.Verdict { // the message continues below, and ends with the name of the rule
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

// scalastyleFormat reads Scalastyle, from its command line and from sbt.
var scalastyleFormat = parse.Format{
	Name:   "scalastyle",
	About:  "Scalastyle: its command line and sbt's scalastyle",
	Starts: []string{"error file=", "warning file="},
	Lines: parse.Lines{
		{Text: "{severity} file={path} message={message}{? line={line}}{? column={column}}"},
	},
}

// checkovFormat reads Checkov: the check, the resource that failed it, and the place.
var checkovFormat = parse.Format{
	Name:   "checkov",
	About:  "Checkov: failed checks of infrastructure as code",
	Starts: []string{"Check: CKV"},
	Match:  matchCheckov,
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
		case l.N > at+8 || text == "" || strings.HasPrefix(text, "Check: ") || strings.HasPrefix(text, "PASSED for ") ||
			strings.HasPrefix(text, "SKIPPED for "):
			return parse.Done
		case strings.HasPrefix(text, "FAILED for "):
			d = s.Add(parse.Draft{Event: store.Event{Code: code, Message: strings.Trim(message, `"`),
				Category: store.CategoryLint, LogLine: at}})
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
