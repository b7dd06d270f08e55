package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// buttercupFormat reads Buttercup of Emacs. At the end it prints each failed spec: a rule of equals signs, the full
// name, a backtrace, and "FAILED: reason" or "error: (condition data)".
var buttercupFormat = parse.Format{
	Name:   "buttercup",
	About:  "Buttercup of Emacs: failed specs",
	Starts: []string{"========================================", "Debugger entered--Lisp error: (buttercup-"},
	Match:  matchButtercup,
}

func matchButtercup(s *parse.Scan, l parse.Line) bool {
	if strings.HasPrefix(l.Text, "Debugger entered") {
		d := s.Add(parse.Draft{Weight: parse.Repeat, Event: store.Event{Message: "specs failed",
			Category: store.CategoryTest}})
		s.Block(parse.Below{Indent: 2}.Block(d))
		return true
	}
	if strings.Trim(l.Text, "=") != "" || len(l.Text) != 40 {
		return false
	}
	rule, name, traced := l, "", false
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		reason, failed := strings.CutPrefix(text, "FAILED: ")
		condition, raised := strings.CutPrefix(text, "error: (")
		switch {
		case l.N == rule.N+1 && text != "":
			name = text
		case l.N == rule.N+2 && text == "" && name != "":
		case l.N == rule.N+3 && strings.HasPrefix(text, "Traceback ("):
			traced = true
		case traced && l.Indent() == 2 && l.N < rule.N+500:
		case traced && (failed || raised):
			d := testDraft(name, reason)
			if raised {
				d.Message = strings.TrimSuffix(condition, ")")
			}
			d.LogLine, d.LogLineEnd = rule.N+1, l.N
			s.Add(d)
			return parse.Last
		default:
			return parse.Done
		}
		return parse.Take
	})
	return false
}
