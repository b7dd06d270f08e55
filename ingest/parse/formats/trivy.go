package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// trivyFormat reads Trivy's tables of vulnerabilities.
var trivyFormat = parse.Format{
	Name:     "trivy",
	About:    "Trivy: tables of vulnerabilities",
	Triggers: []string{" │ CVE-", " │ GHSA-"},
	Starts:   []string{"Total: "},
	New:      func() parse.Matcher { return new(trivy).match },
}

// trivy keeps the file above the table, and the library and its installed version from the last row that names them.
// Further rows of the same library omit both.
type trivy struct{ file, library, installed string }

// match reads "│ foo │ CVE-2020-0001 │ HIGH │ fixed │ 1.2.3 │ 3.4.5 │ title │". Older tables have no status.
func (t *trivy) match(s *parse.Scan, l parse.Line) bool {
	if strings.HasPrefix(l.Text, "Total: ") {
		file, n := s.LastWords()
		if t.file, _, _ = strings.Cut(file, " ("); n < l.N-2 || !parse.IsFileName(t.file) {
			t.file = "" // the line names an image, or was not printed by Trivy
		}
		return false
	}
	cells := strings.Split(strings.Trim(l.Trim(), "│"), "│")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	if len(cells) < 6 || !hasAnyPrefix(cells[1], "CVE-", "GHSA-") {
		return false
	}
	n := len(cells)
	if cells[0] != "" {
		t.library, t.installed = cells[0], cells[n-3]
	}
	message := t.library + " " + t.installed + ": " + cells[n-1]
	if fixed := cells[n-2]; fixed != "" {
		message += " (fixed in " + fixed + ")"
	}
	e := store.Event{File: t.file, Code: cells[1], Message: message, Category: store.CategoryLint}
	if cells[2] != "CRITICAL" && cells[2] != "HIGH" {
		e.Severity = store.SeverityWarning
	}
	s.Add(parse.Draft{Event: e})
	return true
}
