package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// semgrepFormat reads the text output of Semgrep and Opengrep. The output has the file, and for each finding a mark
// with the rule, the message, and the source with its line number.
var semgrepFormat = parse.Format{
	Name:     "semgrep",
	About:    "Semgrep: findings as text",
	Triggers: []string{"❱ "},
	New:      func() parse.Matcher { return new(semgrep).match },
}

// semgrep keeps the file of the newest findings.
type semgrep struct {
	file string
	at   int // newest line of its findings
}

func (f *semgrep) match(s *parse.Scan, l parse.Line) bool {
	mark, rule, ok := strings.Cut(l.Trim(), "❱ ")
	if !ok || strings.Trim(mark, "❯") != "" || l.Indent() < 2 || strings.Contains(rule, " ") {
		return false
	}
	if file, n := s.LastWords(); n > f.at && n == l.N-1 {
		f.file = strings.TrimSpace(file)
	}
	d := s.Add(parse.Draft{Event: store.Event{File: f.file, Code: rule, Category: store.CategoryLint}})
	if mark != "❯❯" { // any other mark means an error
		d.Severity = store.SeverityWarning
	}
	msg := parse.Message{}
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		number, source, ok := strings.Cut(text, "┆")
		switch {
		case strings.Contains(text, "❱ "), text != "" && l.Indent() < 6 && !ok:
			return parse.Done
		case ok && source != "" && parse.AllDigits(number) && d.Line == 0:
			d.Line, _ = parse.Number(number)
		case !ok && !strings.HasPrefix(text, "Details: "):
			msg.Tell(d, text)
		}
		if text != "" {
			d.Extend(l)
		}
		f.at = l.N
		return parse.Take
	})
	return true
}
