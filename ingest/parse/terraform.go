package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// terraformFormat reads the boxed diagnostics of Terraform and OpenTofu, and
// those without a box (-no-color in old versions).
var terraformFormat = Format{
	Name:     "terraform",
	About:    "Terraform and OpenTofu: diagnostics",
	Triggers: []string{"│ Error: ", "│ Warning: "},
	Starts:   []string{"Error: ", "Warning: "},
	New:      stateless(matchTerraform),
}

// matchTerraform reads
//
//	╷
//	│ Error: Unsupported argument
//	│
//	│   on main.tf line 3, in resource "x" "y":
//	│    3:   foo = 1
//	│
//	│ An argument named "foo" is not expected here.
//	╵
func matchTerraform(s *Scan, l Line) bool {
	if !strings.HasPrefix(l.Trim(), "│") {
		s.Block(terraformUnboxed(s, l))
		return false
	}
	text := boxed(l)
	e := store.Event{Category: store.CategoryBuild}
	switch {
	case strings.HasPrefix(text, "Error: "):
		e.Message = text[len("Error: "):]
	case strings.HasPrefix(text, "Warning: "):
		e.Severity, e.Message = store.SeverityWarning, text[len("Warning: "):]
	default:
		return false
	}
	d := s.Add(Draft{Event: e})
	detail := false
	s.Block(func(l Line) Verdict {
		trimmed := l.Trim()
		if !strings.HasPrefix(trimmed, "│") {
			return Done
		}
		d.Extend(l)
		text := boxed(l)
		if rest, ok := strings.CutPrefix(text, "on "); ok && d.File == "" {
			if file, at, ok := strings.Cut(rest, " line "); ok {
				n, _ := number(at)
				d.At(file, n, 0)
			}
			return Take
		}
		if !detail && text != "" && !strings.HasPrefix(strings.TrimPrefix(trimmed, "│"), "  ") && !strings.HasPrefix(text, "with ") {
			detail = true
			d.Message += ": " + text
		}
		return Take
	})
	return true
}

// terraformUnboxed waits for the place that follows a diagnostic without a
// box: a blank line, then "  on main.tf line 3, in …:".
func terraformUnboxed(s *Scan, head Line) func(Line) Verdict {
	waited := 0
	return func(l Line) Verdict {
		waited++
		rest, ok := strings.CutPrefix(l.Text, "  on ")
		if !ok {
			if waited < 4 && (l.Trim() == "" || strings.HasPrefix(l.Text, "  with ")) {
				return Pass
			}
			return Done
		}
		file, at, ok := strings.Cut(rest, " line ")
		if !ok {
			return Done
		}
		e := store.Event{File: file, Category: store.CategoryBuild, LogLine: head.N, LogLineEnd: l.N}
		e.Line, _ = number(at)
		e.Message, ok = strings.CutPrefix(head.Trim(), "Error: ")
		if !ok {
			e.Severity, e.Message = store.SeverityWarning, strings.TrimPrefix(head.Trim(), "Warning: ")
		}
		s.Add(Draft{Event: e})
		return Last
	}
}

func boxed(l Line) string { return strings.TrimSpace(strings.TrimPrefix(l.Trim(), "│")) }
