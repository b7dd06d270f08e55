package parse

import (
	"slices"
	"strings"

	"github.com/blq-ci/blq/store"
)

// maxUnplaced is the max number of lines without a place between findings, and between the last finding and the end of
// the step. Linters print source lines below a finding, and the number of findings at the end.
const maxUnplaced = 3

// placedWords adds the findings at the end of a failed step, such as "a.js:3:4: message", if no format
// took their lines. The parameter repeat is nil, or the line in which the tool gave up after these
// findings. placedWords reports whether it added any finding.
func (st *step) placedWords(repeat *Draft) bool {
	var found []*Draft
	unplaced := 0
	for i := 0; unplaced <= maxUnplaced; i++ {
		l := st.said.at(i)
		if l == nil {
			break
		}
		if repeat != nil && l.n >= repeat.LogLine {
			continue
		}
		d := placedWord(string(l.text))
		if d == nil {
			unplaced++
			continue
		}
		unplaced, d.LogLine, d.LogLineEnd = 0, l.n, l.n
		found = append(found, d)
	}
	slices.Reverse(found)
	st.drafts = append(st.drafts, found...)
	return len(found) > 0
}

// placedWord reads a line of a place and a message. It returns nil for other lines, and for frames of stack traces.
func placedWord(text string) *Draft {
	p, message, ok := PlaceAt(strings.TrimSpace(text))
	if !ok || p.Line == 0 || IsNotice(message) || SaysNone(message) || IsFrame(text) || !strings.Contains(message, " ") ||
		!hasWord([]byte(message)) {
		return nil
	}
	return &Draft{Event: store.Event{Severity: store.SeverityError, File: p.File, Line: p.Line, Column: p.Column,
		Message: message, Tool: "generic", Category: store.CategoryLint}}
}
