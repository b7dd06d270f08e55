package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// precommitFormat reads pre-commit's failed hooks. Other formats read the output of the tool that the hook runs. If
// they find no error, the failed hook is the error.
var precommitFormat = parse.Format{
	Name:     "pre-commit",
	About:    "pre-commit: hooks that failed or changed files",
	Triggers: []string{"..Failed"},
	Starts:   []string{"An error has occurred: ", "An unexpected error has occurred: "},
	Match:    matchPrecommit,
}

func matchPrecommit(s *parse.Scan, l parse.Line) bool {
	if reason, ok := cutAny(l.Text, "An error has occurred: ", "An unexpected error has occurred: "); ok {
		precommitError(s, strings.TrimSpace(reason))
		return true
	}
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

// precommitError reads why pre-commit ran no hook: an error in its configuration, or output of git or an installer.
func precommitError(s *parse.Scan, reason string) {
	d := s.Add(parse.Draft{Weight: parse.Likely, Event: store.Event{Message: reason, Category: store.CategoryBuild}})
	lines, printed := 0, false
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		lines++
		file, isFile := strings.CutPrefix(text, "==> File ")
		fault, isFault := strings.CutPrefix(text, "=====> ")
		switch {
		case strings.HasPrefix(text, "Check the log at "):
			return parse.Last
		case lines > 60:
			return parse.Done
		case isFile:
			d.At(file, 0, 0)
		case isFault:
			d.Message += " " + fault
		case strings.HasPrefix(text, "stdout:"), strings.HasPrefix(text, "stderr:"):
			printed = true
		case printed && text != "" && text != "(none)" && len(d.Message) < parse.MaxText/2:
			d.Message += "\n" + text
		}
		d.Extend(l)
		return parse.Take
	})
}
