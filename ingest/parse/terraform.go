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
	Starts:   []string{"Error: ", "Warning: ", "  on "},
	New:      func() Matcher { return new(terraform).match },
}

// terraform remembers the newest line that could begin a diagnostic without a
// box. It opens no block for it: such lines are other tools' too.
type terraform struct {
	head Line
}

func (t *terraform) match(s *Scan, l Line) bool {
	switch {
	case strings.HasPrefix(l.Trim(), "│"):
		return matchTerraform(s, l)
	case strings.HasPrefix(l.Text, "  on "):
		return t.place(s, l)
	}
	t.head = l
	return false
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

// place reads the place that follows a diagnostic without a box: a blank
// line, then "  on main.tf line 3, in …:".
func (t *terraform) place(s *Scan, l Line) bool {
	file, at, ok := strings.Cut(l.Text[len("  on "):], " line ")
	if !ok || t.head.N == 0 || l.N-t.head.N > 4 || !isFileName(file) {
		return false
	}
	e := store.Event{File: file, Category: store.CategoryBuild, LogLine: t.head.N, LogLineEnd: l.N}
	e.Line, _ = number(at)
	e.Message, ok = strings.CutPrefix(t.head.Trim(), "Error: ")
	if !ok {
		e.Severity, e.Message = store.SeverityWarning, strings.TrimPrefix(t.head.Trim(), "Warning: ")
	}
	s.Add(Draft{Event: e})
	t.head = Line{}
	return true
}

func boxed(l Line) string { return strings.TrimSpace(strings.TrimPrefix(l.Trim(), "│")) }
