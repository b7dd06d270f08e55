package record

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// Report is a report file of a command, such as JUnit XML or SARIF.
type Report struct {
	Name string
	Text []byte
}

// maxSeen is the max number of events of the log that are compared with reports.
const maxSeen = 50_000

// saw records an event of the log for the comparison in readReports.
func (s *session) saw(e store.Event) {
	if s.reports != nil && len(s.seen) < maxSeen {
		s.seen[sameness(e)]++
	}
}

// readReports adds the events that are in reports but not in the log. These events have no log lines.
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

// sameness returns a key for an event. The key is the same if a log and a report contain the same event. Logs and
// reports use different test names and messages, so the key leaves out the parts that differ.
func sameness(e store.Event) string {
	if e.Test != "" {
		return "test " + string(e.Severity) + " " + parse.ShortTest(e.Test)
	}
	return strings.Join([]string{string(e.Severity), e.File, strconv.Itoa(e.Line), cmp.Or(e.Code, e.Message)}, "\x00")
}
