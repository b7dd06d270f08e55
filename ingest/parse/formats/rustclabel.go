package formats

import (
	"slices"
	"strings"

	"github.com/blq-ci/blq/store"
)

// rustcLabel collects the parts of a diagnostic of rustc that make its message specific: the label of the primary span,
// and the types in a note. Many errors have the same headline, such as "mismatched types".
type rustcLabel struct {
	column int  // column of the primary span whose label is below it, 0 if there is none
	done   bool // the primary span was read
	ended  bool // the first snippet of code has ended
	found  bool // the type that was found may be in the next line of a note
	label  string
	types  string
	others []string // labels of other spans
}

const maxRustcLabels = 4

// read reads a line of a diagnostic.
func (r *rustcLabel) read(line string) {
	text := strings.TrimSpace(line)
	if r.found {
		r.found = false
		if strings.HasPrefix(text, "found ") {
			r.types += ", " + text
		} else {
			r.types = ""
		}
	}
	if types, ok := strings.CutPrefix(text, "= note: expected "); ok && r.types == "" {
		r.types, r.found = "expected "+types, true
	}
	r.ended = r.ended || strings.HasPrefix(text, "= ") || strings.HasPrefix(line, "note: ") ||
		strings.HasPrefix(line, "help: ")
	gutter, code, ok := strings.Cut(line, "|")
	if r.ended || !ok || strings.TrimSpace(gutter) != "" {
		return
	}
	r.other(strings.TrimLeft(code, " |-^_"))
	at := len(line) - len(code)
	i := strings.IndexByte(line[at:], '^')
	switch {
	case r.done:
	case r.column > 0:
		r.hanging(line)
	case i >= 0:
		r.inline(line, at+i)
	}
}

// other keeps the label of a span, which may also be the primary span. It skips labels that name no type.
func (r *rustcLabel) other(label string) {
	expected := strings.HasPrefix(label, "expected ") && strings.Contains(label, ", found ")
	if (expected || strings.Contains(label, " of type `")) && len(r.others) < maxRustcLabels {
		r.others = append(r.others, label)
	}
}

// inline reads the label after the carets at a column.
func (r *rustcLabel) inline(line string, column int) {
	rest := strings.TrimLeft(line[column:], "^")
	if text := strings.TrimSpace(rest); text == "" || text[0] == '-' {
		r.column = column
		return
	}
	r.label, r.done = strings.TrimSpace(rest), true
}

// hanging reads a label below the carets.
func (r *rustcLabel) hanging(line string) {
	if len(line) <= r.column || line[r.column] == '|' {
		r.done = len(line) <= r.column
		return
	}
	r.done = true
	if c := line[r.column-1]; line[r.column] != ' ' && (c == ' ' || c == '|') {
		r.label = strings.TrimSpace(line[r.column:])
	}
}

// into returns the message of a diagnostic with the label added.
func (r *rustcLabel) into(message string) string {
	var said []string
	if addsTo(message, r.label) {
		said = append(said, r.label)
	} else if r.label == "" {
		said = append(said, slices.Sorted(slices.Values(r.others))...)
	}
	if !r.found && addsTo(message+r.label, r.types) {
		said = append(said, r.types)
	}
	if len(said) == 0 {
		return message
	}
	return message + "\n" + strings.Join(said, "; ")
}

// addsTo reports whether a label names a type or symbol that the message does not name. A label without such a name
// is the same for all errors with the same code.
func addsTo(message, label string) bool {
	if strings.HasPrefix(label, "help: ") {
		return false
	}
	if strings.HasPrefix(label, "expected ") && !strings.Contains(label, "`") {
		return strings.Contains(label, ", found ")
	}
	for i, name := range strings.Split(label, "`") {
		if i%2 == 1 && !strings.Contains(message, "`"+name+"`") {
			return true
		}
	}
	return false
}

// labelOf returns the label and the types of a diagnostic in JSON.
func (m *rustcMessage) labelOf() *rustcLabel {
	r := &rustcLabel{}
	for _, s := range m.Spans {
		if s.Primary && r.label == "" {
			r.label = s.Label
		} else if !s.Primary {
			r.other(s.Label)
		}
	}
	for _, c := range m.Children {
		expected, found, ok := strings.Cut(c.Message, "\n")
		found = strings.TrimSpace(found)
		if ok && c.Level == "note" && strings.HasPrefix(expected, "expected ") && strings.HasPrefix(found, "found ") {
			found, _, _ = strings.Cut(found, "\n")
			r.types = strings.TrimSpace(expected) + ", " + found
			break
		}
	}
	return r
}

// withLabel adds the label to the draft's message, unless the error is about linking.
func (b *rustcBlock) withLabel(line string) {
	if b.added.Category == store.CategoryLink {
		return
	}
	b.label.read(line)
	b.added.Message = b.label.into(b.draft.Message)
}
