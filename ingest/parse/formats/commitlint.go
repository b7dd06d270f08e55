package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// commitlintFormat reads commitlint: "✖   message [rule]".
var commitlintFormat = parse.Format{
	Name:   "commitlint",
	About:  "commitlint",
	Starts: []string{"✖   ", "⚠   "},
	Match:  matchCommitlint,
}

func matchCommitlint(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	rest, isError := strings.CutPrefix(text, "✖   ")
	if !isError {
		rest = strings.TrimPrefix(text, "⚠   ")
	}
	if strings.HasPrefix(rest, "found ") && strings.Contains(rest, " problems, ") {
		return true // the total
	}
	e := store.Event{Category: store.CategoryLint}
	if !isError {
		e.Severity = store.SeverityWarning
	}
	e.Message, e.Code = cutParens(rest, '[', ']')
	if e.Code != "" {
		s.Add(parse.Draft{Event: e})
		return true
	}
	commitlintBlock(s, l, e)
	return false
}

// commitlintBlock reads a message of several lines. The last of them has the rule. Other tools use the same marks, but
// print no rule.
func commitlintBlock(s *parse.Scan, first parse.Line, e store.Event) {
	lines := 0
	s.BlockElse(func(l parse.Line) parse.Verdict {
		message, rule := cutParens(l.Trim(), '[', ']')
		if lines++; lines > 6 || l.Indent() < 4 {
			return parse.Done
		}
		e.Message += "\n" + message
		if rule == "" {
			return parse.Pass
		}
		e.Code, e.LogLine = rule, first.N
		s.Add(parse.Draft{Event: e}).Extend(l)
		return parse.Last
	})
}
