package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// precommitFormat reads pre-commit's failed hooks. The formats of the hook's tool read its output. If they find no
// error, the failed hook is the error.
var precommitFormat = parse.Format{
	Name:     "pre-commit",
	About:    "pre-commit: hooks that failed or changed files",
	Triggers: []string{"..Failed"},
	Match:    matchPrecommit,
}

func matchPrecommit(s *parse.Scan, l parse.Line) bool {
	dotted, ok := strings.CutSuffix(l.Trim(), "Failed")
	name := strings.TrimRight(dotted, ".")
	if !ok || len(dotted)-len(name) < 2 || name == "" {
		return false
	}
	var d *parse.Draft
	said, drafts := false, 0
	s.Block(func(next parse.Line) parse.Verdict {
		text := next.Trim()
		if d == nil {
			id, ok := strings.CutPrefix(text, "- hook id: ")
			if !ok {
				return parse.Done
			}
			d = s.Add(parse.Draft{Weight: parse.Repeat,
				Event: store.Event{Message: name + " failed", Code: id, Category: store.CategoryLint, LogLine: l.N,
					LogLineEnd: next.N}})
			drafts = s.Pending()
			return parse.Take
		}
		if s.Pending() != drafts {
			if said { // another format found an error
				d.Weight = parse.Repeat
			}
			return parse.Done
		}
		switch {
		case text == "- files were modified by this hook":
			d.Weight, d.Message = parse.Certain, name+": files were modified by this hook"
		case strings.HasPrefix(text, "- exit code: ") || strings.HasPrefix(text, "- duration: "):
		case text == "":
			if said {
				d.Weight = parse.Certain
			}
			return parse.Pass
		case strings.HasSuffix(text, "Passed") || strings.HasSuffix(text, "Skipped") || strings.HasSuffix(text, "Failed"):
			if said {
				d.Weight = parse.Certain
			}
			return parse.Done
		case d.Weight == parse.Certain:
			return parse.Done
		case said:
			d.Weight = parse.Certain
			return parse.Done
		default:
			said = true
			d.Message = name + ": " + text
			d.Extend(next)
			return parse.Pass
		}
		d.Extend(next)
		return parse.Take
	})
	return true
}
