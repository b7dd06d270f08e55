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
	Starts: append([]string{"Error: ", "Warning: ", "  on ", "Build '", "Failed to parse template: "},
		terraformSays...),
	Lines: parse.Lines{
		{Text: "^Build '{_}' errored after {_}: {message}", Tool: "packer", Category: store.CategoryBuild,
			Weight: parse.Repeat}, // the script that failed has said why
		{Text: "^Failed to parse template: {message}", Tool: "packer", Category: store.CategoryBuild},
	},
	New: func() parse.Matcher { return new(terraform).match },
}

// terraformSays are beginnings of lines with which Terraform says what it does.
var terraformSays = []string{"Initializing the backend...", "Terraform will perform ", "OpenTofu will perform ",
	"Terraform used the selected ", "OpenTofu used the selected "}

// terraform keeps the newest line that may begin a diagnostic without a box. Other tools print such lines, too. So the
// line begins a diagnostic only if a place of Terraform follows, or if Terraform has already said what it does.
type terraform struct {
	head parse.Line
	step int // the step in which Terraform has said what it does, 0 for none
}

func (t *terraform) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case strings.HasPrefix(text, "│"):
		return boxedDiagnostic(s, l)
	case strings.HasPrefix(l.Text, "  on "):
		return t.place(s, l)
	case isErrorCount(text):
		s.Block(countedErrors(s))
		return true
	case hasAnyPrefix(l.Text, terraformSays...):
		t.step = s.Step()
		return false
	case !hasAnyPrefix(l.Text, "Error: ", "Warning: "):
		return false
	case t.step > 0 && t.step == s.Step() && l.Level == "" && !s.InBlock():
		d := diagnosis(l.Text, l.N)
		d.Weight = max(d.Weight, parse.Likely) // another program of the step may print such a line, too
		s.Block((&diagnostic{d: s.Add(d), length: len(l.Text)}).plain)
		return true
	}
	t.head = l
	return false
}

// place reads the place of a diagnostic without a box, which is below a blank line: "  on main.tf line 3, in …:".
func (t *terraform) place(s *parse.Scan, l parse.Line) bool {
	file, _, ok := strings.Cut(l.Text[len("  on "):], " line ")
	if !ok || t.head.N == 0 || l.N-t.head.N > 4 || !parse.IsFileName(file) {
		return false
	}
	m := &diagnostic{d: s.Add(diagnosis(t.head.Text, t.head.N)), part: atPlace}
	t.head = parse.Line{}
	m.plain(l)
	s.Block(m.plain)
	return true
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

// boxedDiagnostic reads diagnostics such as
//
//	╷
//	│ Error: Unsupported argument
//	│
//	│   on main.tf line 3, in resource "x" "y":
//	│    3:   foo = 1
//	│
//	│ An argument named "foo" is not expected here.
//	╵
func boxedDiagnostic(s *parse.Scan, l parse.Line) bool {
	text := unboxed(l)
	if !hasAnyPrefix(text, "Error: ", "Warning: ") {
		return false
	}
	m := &diagnostic{d: s.Add(diagnosis(text, l.N))}
	s.Block(func(l parse.Line) parse.Verdict {
		if !strings.HasPrefix(l.Trim(), "│") {
			return parse.Done
		}
		m.d.Extend(l)
		m.line(unboxed(l))
		return parse.Take
	})
	return true
}

// unboxed returns the text of a line without the box on its left.
func unboxed(l parse.Line) string {
	return strings.TrimPrefix(strings.TrimPrefix(l.Trim(), "│"), " ")
}

// diagnosis returns the draft for the first line of a diagnostic, which is at line n.
func diagnosis(head string, n int) parse.Draft {
	d := parse.Draft{Event: store.Event{Category: store.CategoryBuild, LogLine: n, LogLineEnd: n}}
	if message, ok := strings.CutPrefix(head, "Error: "); ok {
		d.Message = message
	} else {
		d.Severity, d.Message = store.SeverityWarning, strings.TrimPrefix(head, "Warning: ")
	}
	if strings.HasPrefix(d.Message, "Terraform encountered problems during initiali") {
		d.Weight = parse.Repeat // the next diagnostics are the problems
	}
	return d
}

// diagnostic reads the lines of a diagnostic: the title, the place with the source, and a first paragraph that explains
// the title. Title and paragraph are wrapped.
type diagnostic struct {
	d      *parse.Draft
	part   int
	length int // of the newest line of a title without a box
}

// minWrapped is the min length of a line of a title that goes on in the next line. Terraform wraps at 78 characters.
const minWrapped = 40

// These are the parts of a diagnostic.
const (
	inTitle = iota
	atPlace
	inDetail
	afterDetail
)

func (m *diagnostic) line(text string) {
	switch blank := strings.TrimSpace(text) == ""; {
	case blank && m.part == inTitle:
		m.part = atPlace
	case blank && m.part == inDetail:
		m.part = afterDetail
	case blank, m.part == afterDetail:
	case m.part == atPlace && strings.HasPrefix(text, "  "):
		if file, at, ok := strings.Cut(strings.TrimPrefix(text, "  on "), " line "); ok && parse.IsFileName(file) {
			n, _ := parse.Number(at)
			m.d.At(file, n, 0)
			m.certain()
		}
	case m.part == atPlace:
		m.part = inDetail
		m.d.Message = strings.TrimSuffix(m.d.Message, ".") + ": " + text
	case len(m.d.Message) < parse.MaxText:
		m.d.Message += " " + strings.TrimSpace(text)
	}
}

// certain makes the diagnostic certain, because only Terraform prints such a place.
func (m *diagnostic) certain() {
	if m.d.Weight == parse.Likely {
		m.d.Weight = parse.Certain
	}
}

// plain reads a line of a diagnostic without a box. It ends below the first paragraph.
func (m *diagnostic) plain(l parse.Line) parse.Verdict {
	if hasAnyPrefix(l.Text, "Error: ", "Warning: ") || l.Level != "" || l.N > m.d.LogLine+parse.MaxBlock {
		return parse.Done
	}
	if m.part == inTitle && l.Trim() != "" && m.length < minWrapped {
		return parse.Done // the line is of another program
	}
	m.length = len(l.Text)
	if m.line(l.Text); m.part == afterDetail {
		return parse.Last
	}
	m.d.Extend(l)
	return parse.Take
}
