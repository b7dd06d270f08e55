package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// precommitFormat reads pre-commit: hooks that failed. What a hook printed is
// left to the formats of its tool; the hook is the error where they find none.
var precommitFormat = Format{
	Name:     "pre-commit",
	About:    "pre-commit: hooks that failed or changed files",
	Triggers: []string{"..Failed"},
	New:      stateless(matchPrecommit),
}

func matchPrecommit(s *Scan, l Line) bool {
	dotted, ok := strings.CutSuffix(l.Trim(), "Failed")
	name := strings.TrimRight(dotted, ".")
	if !ok || len(dotted)-len(name) < 2 || name == "" {
		return false
	}
	var d *Draft
	said, drafts := false, 0
	s.Block(func(next Line) Verdict {
		text := next.Trim()
		if d == nil {
			id, ok := strings.CutPrefix(text, "- hook id: ")
			if !ok {
				return Done
			}
			d = s.Add(Draft{Weight: Repeat, Event: store.Event{Message: name + " failed", Code: id, Category: store.CategoryLint, LogLine: l.N, LogLineEnd: next.N}})
			drafts = len(s.step.drafts)
			return Take
		}
		if len(s.step.drafts) != drafts {
			if said { // by another format
				d.Weight = Repeat
			}
			return Done
		}
		switch {
		case text == "- files were modified by this hook":
			d.Weight, d.Message = Certain, name+": files were modified by this hook"
		case strings.HasPrefix(text, "- exit code: ") || strings.HasPrefix(text, "- duration: "):
		case text == "":
			if said {
				d.Weight = Certain
			}
			return Pass
		case strings.HasSuffix(text, "Passed") || strings.HasSuffix(text, "Skipped") || strings.HasSuffix(text, "Failed"):
			if said {
				d.Weight = Certain
			}
			return Done
		case d.Weight == Certain:
			return Done
		case said:
			d.Weight = Certain
			return Done
		default:
			said = true
			d.Message = name + ": " + text
			d.Extend(next)
			return Pass
		}
		d.Extend(next)
		return Take
	})
	return true
}
