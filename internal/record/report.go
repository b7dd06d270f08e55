package record

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// Report is a file that a command wrote about its own work, such as JUnit XML or SARIF.
type Report struct {
	Name string
	Text []byte
}

// maxSeen bounds how many events of the log are remembered to find the same ones in reports.
const maxSeen = 50_000

// saw remembers an event of the log for readReports.
func (s *session) saw(e store.Event) {
	if s.reports != nil && len(s.seen) < maxSeen {
		s.seen[sameness(e)]++
	}
}

// readReports adds the events of the command's reports that its log did not have. They have no log
// lines.
func (s *session) readReports(exitCode *int) {
	if s.reports == nil {
		return
	}
	for _, r := range s.reports() {
		s.tests.Report()
		text := r.Text
		if s.redactor != nil {
			text = []byte(s.redactor.String(string(text)))
		}
		for _, e := range parse.Bytes(text, exitCode, s.options) {
			if key := sameness(e); s.seen[key] > 0 {
				s.seen[key]--
				continue
			}
			e.LogLine, e.LogLineEnd = 0, 0
			s.add("", e)
		}
	}
}

// sameness returns a key that is equal for the same event in a log and in a report. The two name
// tests differently and word messages differently, so the key leaves those parts out.
func sameness(e store.Event) string {
	if e.Test != "" {
		return "test " + string(e.Severity) + " " + parse.ShortTest(e.Test)
	}
	return strings.Join([]string{string(e.Severity), e.File, strconv.Itoa(e.Line), cmp.Or(e.Code, e.Message)}, "\x00")
}
