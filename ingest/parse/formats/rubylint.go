package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// rubyLintFormat reads several Ruby checkers, each with its own form.
var rubyLintFormat = parse.Format{
	Name:     "ruby-lint",
	About:    "Sorbet, Reek, Brakeman, Fasterer, ERB Lint",
	Triggers: []string{" https://srb.help/", "error-reference#", " warnings:", " warning:", ". Occurred at lines: "},
	Starts:   []string{"In file: ", "Confidence: "},
	Lines: parse.Lines{
		{Text: "{place:.rb|.rbi|.rake}: {message} https://{:srb.help/|sorbet.org/docs/error-reference#}{code:#}",
			Tool: "sorbet", Category: store.CategoryType, Below: parse.Below{Indent: 2}.Pattern},
	},
	New: func() parse.Matcher { return new(rubyLint).match },
}

// rubyLint keeps the file whose findings Fasterer prints now. Fasterer prints the name of a file once, above the
// findings.
type rubyLint struct {
	file string
	at   int
}

var reekFinding = parse.Lines{
	{Text: "[{line}{?, {_}}]:{code}: {message} [http{_}]", Tool: "reek", Severity: store.SeverityWarning},
	{Text: "[{line}{?, {_}}]:{message} ({code})", Tool: "reek", Severity: store.SeverityWarning},
}

var erbFinding = parse.Lines{{Text: "{?[{code}] }{message}", Tool: "erb-lint"}}

func (r *rubyLint) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if strings.HasPrefix(l.Text, "Confidence: ") {
		brakeman(s, l)
		return true
	}
	if reason, lines, ok := strings.Cut(text, ". Occurred at lines: "); ok {
		return r.fasterer(s, l, reason, lines)
	}
	if place, ok := strings.CutPrefix(l.Text, "In file: "); ok {
		return erbLint(s, l, place)
	}
	file, count, ok := strings.Cut(text, " -- ")
	if !ok || !hasAnySuffix(count, " warning:", " warnings:") {
		return false
	}
	s.Block(parse.Rows(func(l parse.Line) bool {
		d, ok := reekFinding.Read(l.Text)
		if ok = ok && l.Indent() > 0; ok {
			d.File = file
			s.Add(d)
		}
		return ok
	}))
	return true
}

// fasterer reads "reason. Occurred at lines: 3, 8." below the name of a file.
func (r *rubyLint) fasterer(s *parse.Scan, l parse.Line, reason, lines string) bool {
	if file, n := s.LastWords(); n == l.N-1 && strings.HasSuffix(file, ".rb") {
		r.file, r.at = file, n
	}
	if r.at != l.N-1 {
		return false
	}
	r.at = l.N
	for at := range strings.SplitSeq(strings.TrimSuffix(lines, "."), ", ") {
		n, _ := parse.Number(at)
		s.Add(parse.Draft{Event: store.Event{Tool: "fasterer", File: r.file, Line: n, Message: reason,
			Category: store.CategoryLint, Severity: store.SeverityWarning}})
	}
	return true
}

// erbLint reads "In file: app/a.erb:3", which is below the message.
func erbLint(s *parse.Scan, l parse.Line, place string) bool {
	said, n := s.LastWords()
	p, rest, ok := parse.PlaceAt(place)
	d, read := erbFinding.Read(said)
	if !ok || rest != "" || !read || n != l.N-1 {
		return false
	}
	d.File, d.Line, d.LogLine, d.LogLineEnd = p.File, p.Line, n, l.N
	s.Add(d)
	return true
}

// brakeman reads a warning of Brakeman. Each field is a line, and an empty line ends the warning.
func brakeman(s *parse.Scan, l parse.Line) {
	draft := parse.Draft{Event: store.Event{Tool: "brakeman", Category: store.CategoryLint, LogLine: l.N}}
	if strings.HasSuffix(l.Text, "Weak") {
		draft.Severity = store.SeverityWarning
	}
	var d *parse.Draft
	s.Block(func(l parse.Line) parse.Verdict {
		key, value, ok := strings.Cut(l.Trim(), ": ")
		switch {
		case l.Trim() == "" || !ok && d == nil && draft.Message == "":
			return parse.Done
		case key == "Check":
			draft.Code = value
		case key == "Message":
			draft.Message = value
		case key == "File" && draft.Message != "":
			draft.File = value
			d = s.Add(draft)
		case key == "Line" && d != nil:
			d.Line, _ = parse.Number(value)
		}
		if d != nil {
			d.Extend(l)
		}
		return parse.Take
	})
}
