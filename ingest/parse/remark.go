package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// remarkFormat reads remark and others that report with vfile-reporter: a
// line with the file, then a line for each finding.
var remarkFormat = Format{
	Name:     "remark",
	About:    "remark-lint and others that report with vfile-reporter",
	Triggers: []string{" remark-lint", " retext-", ".md"},
	New:      func() Matcher { return new(remark).match },
}

type remark struct {
	file string
	at   int // the newest line of the file's list
}

// match reads "6:1-6:7  warning  Unexpected definition  no-unused-definitions  remark-lint".
func (r *remark) match(s *Scan, l Line) bool {
	text := l.Trim()
	if hasAnySuffix(text, ".md", ".mdx", ".markdown") && isFileName(text) {
		r.file, r.at = text, l.N
		return false
	}
	row := strings.Fields(text)
	if r.at == 0 || l.N > r.at+3 || len(row) < 4 || !hasAnyPrefix(row[len(row)-1], "remark-", "retext-") {
		return false
	}
	at, _, _ := strings.Cut(row[0], "-")
	line, n := number(at)
	severity, ok := map[string]store.Severity{"warning": store.SeverityWarning, "error": store.SeverityError}[row[1]]
	if n == 0 || !ok || !strings.HasPrefix(at[n:], ":") {
		return false
	}
	column, _ := number(at[n+1:])
	rule := row[len(row)-2]
	_, message, _ := strings.Cut(text, row[1])
	message, _, _ = strings.Cut(message, " "+rule+" ")
	r.at = l.N
	s.Add(Draft{Event: store.Event{Severity: severity, File: r.file, Line: line, Column: column, Message: strings.TrimSpace(message), Code: rule, Category: store.CategoryLint}})
	return true
}
