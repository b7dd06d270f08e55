package record

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// Report is a file that a command wrote about its own work: JUnit, SARIF, ….
type Report struct {
	Name string
	Text []byte
}

// mostSeen bounds how many events of the log are remembered, to know again in
// a report what the log has said.
const mostSeen = 50_000

// saw remembers an event of the log.
func (s *session) saw(e store.Event) {
	if s.reports != nil && len(s.seen) < mostSeen {
		s.seen[sameness(e)]++
	}
}

// readReports adds what the command's reports tell beyond its log. They have no
// place in the log.
func (s *session) readReports(exitCode *int) {
	if s.reports == nil {
		return
	}
	for _, r := range s.reports() {
		for _, e := range parse.Bytes(r.Text, exitCode, s.options) {
			if key := sameness(e); s.seen[key] > 0 {
				s.seen[key]--
				continue
			}
			e.LogLine, e.LogLineEnd = 0, 0
			s.add("", e)
		}
	}
}

// sameness is what an event of a log and one of a report have in common when
// they tell the same: reports name tests in another way, and word things in
// their own.
func sameness(e store.Event) string {
	if e.Test != "" {
		name := e.Test
		if i := strings.LastIndexAny(name, ":./> "); i >= 0 && i < len(name)-1 && !strings.Contains(name, "[") {
			name = name[i+1:]
		}
		return "test " + string(e.Severity) + " " + name
	}
	return strings.Join([]string{string(e.Severity), e.File, strconv.Itoa(e.Line), cmp.Or(e.Code, e.Message)}, "\x00")
}
