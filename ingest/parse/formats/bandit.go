package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// banditFormat reads issues of bandit. An issue of any severity makes bandit fail.
var banditFormat = parse.Format{
	Name:   "bandit",
	About:  "bandit: Python security lint",
	Starts: []string{">> Issue: "},
	Match:  matchBandit,
}

func matchBandit(s *parse.Scan, l parse.Line) bool {
	text := strings.TrimPrefix(l.Trim(), ">> Issue: ")
	e := store.Event{Message: text, Category: store.CategoryLint}
	if code, message, ok := strings.Cut(text, "] "); ok && text[0] == '[' {
		e.Code, _, _ = strings.Cut(code[1:], ":")
		e.Message = message
	}
	d := s.Add(parse.Draft{Event: e})
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if rest, ok := strings.CutPrefix(text, "Location: "); ok {
			d.File = rest
			if p, _, ok := parse.PlaceAt(rest); ok {
				d.File, d.Line, d.Column = p.File, p.Line, p.Column
			}
		}
		if isDashes(text) || strings.HasPrefix(text, ">> Issue: ") || strings.HasPrefix(text, "Code scanned:") {
			return parse.Done
		}
		if text != "" {
			d.Extend(l)
		}
		return parse.Take
	})
	return true
}

func isDashes(text string) bool { return len(text) >= 40 && strings.Trim(text, "-") == "" }
