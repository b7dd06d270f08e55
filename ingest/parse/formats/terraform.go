package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// terraformFormat reads diagnostics of Terraform and OpenTofu, with and without a box around them. It also reads errors
// of Packer.
var terraformFormat = parse.Format{
	Name:     "terraform",
	About:    "Terraform, OpenTofu and Packer: diagnostics",
	Triggers: []string{"│ Error: ", "│ Warning: ", " error occurred:", " errors occurred:"},
	Starts:   []string{"Error: ", "Warning: ", "  on ", "Build '", "Failed to parse template: "},
	Lines: parse.Lines{
		{Text: "^Build '{_}' errored after {_}: {message}", Tool: "packer", Category: store.CategoryBuild,
			Weight: parse.Repeat}, // the script that failed has said why
		{Text: "^Failed to parse template: {message}", Tool: "packer", Category: store.CategoryBuild},
	},
	New: func() parse.Matcher { return new(terraform).match },
}

// terraform keeps the newest line that may begin a diagnostic without a box. It opens no block for such a line, because
// other tools print such lines, too.
type terraform struct {
	head parse.Line
}

func (t *terraform) match(s *parse.Scan, l parse.Line) bool {
	switch {
	case strings.HasPrefix(l.Trim(), "│"):
		return matchTerraform(s, l)
	case strings.HasPrefix(l.Text, "  on "):
		return t.place(s, l)
	case isErrorCount(l.Trim()):
		s.Block(countedErrors(s))
		return true
	}
	t.head = l
	return false
}

// isErrorCount reports whether a list of errors follows: "2 errors occurred:". Many programs in Go print such lists.
func isErrorCount(text string) bool {
	n, length := parse.Number(strings.TrimPrefix(text, "Error: "))
	rest := strings.TrimPrefix(text, "Error: ")[length:]
	return n > 0 && (rest == " error occurred:" || rest == " errors occurred:")
}

// countedErrors reads the list: rows that begin with a tab and a star.
func countedErrors(s *parse.Scan) func(parse.Line) parse.Verdict {
	return parse.Rows(func(l parse.Line) bool {
		message, ok := strings.CutPrefix(l.Trim(), "* ")
		if !ok || l.Indent() == 0 {
			return false
		}
		if !hasAnySuffix(message, " error occurred:", " errors occurred:") {
			s.Add(parse.Draft{Weight: parse.Likely, Event: store.Event{Tool: "unknown", Message: message,
				Category: store.CategoryRuntime}})
		}
		return true
	})
}

// matchTerraform reads diagnostics such as
//
//	╷
//	│ Error: Unsupported argument
//	│
//	│   on main.tf line 3, in resource "x" "y":
//	│    3:   foo = 1
//	│
//	│ An argument named "foo" is not expected here.
//	╵
func matchTerraform(s *parse.Scan, l parse.Line) bool {
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
	d := s.Add(parse.Draft{Event: e})
	detail := false
	s.Block(func(l parse.Line) parse.Verdict {
		trimmed := l.Trim()
		if !strings.HasPrefix(trimmed, "│") {
			return parse.Done
		}
		d.Extend(l)
		text := boxed(l)
		if rest, ok := strings.CutPrefix(text, "on "); ok && d.File == "" {
			if file, at, ok := strings.Cut(rest, " line "); ok {
				n, _ := parse.Number(at)
				d.At(file, n, 0)
			}
			return parse.Take
		}
		if !detail && text != "" && !strings.HasPrefix(strings.TrimPrefix(trimmed, "│"), "  ") &&
			!strings.HasPrefix(text, "with ") {
			detail = true
			d.Message += ": " + text
		}
		return parse.Take
	})
	return true
}

// place reads the place of a diagnostic without a box, which is below a blank line: "  on main.tf line 3, in …:".
func (t *terraform) place(s *parse.Scan, l parse.Line) bool {
	file, at, ok := strings.Cut(l.Text[len("  on "):], " line ")
	if !ok || t.head.N == 0 || l.N-t.head.N > 4 || !parse.IsFileName(file) {
		return false
	}
	e := store.Event{File: file, Category: store.CategoryBuild, LogLine: t.head.N, LogLineEnd: l.N}
	e.Line, _ = parse.Number(at)
	e.Message, ok = strings.CutPrefix(t.head.Trim(), "Error: ")
	if !ok {
		e.Severity, e.Message = store.SeverityWarning, strings.TrimPrefix(t.head.Trim(), "Warning: ")
	}
	s.Add(parse.Draft{Event: e})
	t.head = parse.Line{}
	return true
}

func boxed(l parse.Line) string { return strings.TrimSpace(strings.TrimPrefix(l.Trim(), "│")) }
