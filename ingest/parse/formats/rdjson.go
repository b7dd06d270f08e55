package formats

import (
	"cmp"
	"encoding/json"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// reviewdog is the tool of findings that name no tool.
const reviewdog = "reviewdog"

// rdDiagnostic is a finding in the format of reviewdog.
type rdDiagnostic struct {
	Message, Severity string
	Location          struct {
		Path  string
		Range struct {
			Start struct{ Line, Column int }
		}
	}
	Source struct{ Name string }
	Code   struct{ Value string }
}

// readRDJSON reads a document of reviewdog: a list of findings in rdjson, or one finding in a line of rdjsonl.
func readRDJSON(s *parse.Scan, t *parse.Text) error {
	var report struct {
		rdDiagnostic
		Diagnostics []rdDiagnostic
	}
	if err := json.Unmarshal(t.Data, &report); err != nil {
		return err
	}
	list := report.Diagnostics
	if report.Message != "" {
		list = []rdDiagnostic{report.rdDiagnostic}
	}
	search := newSearch(t)
	for _, d := range list {
		if d.Message == "" {
			continue
		}
		n := search.line(d.Message)
		s.Add(parse.Draft{Event: store.Event{Tool: cmp.Or(d.Source.Name, reviewdog), Category: store.CategoryLint,
			Severity: parse.SeverityOf(cmp.Or(d.Severity, report.Severity), store.SeverityError), File: d.Location.Path,
			Line: d.Location.Range.Start.Line, Column: d.Location.Range.Start.Column, Message: firstLines(d.Message),
			Code: d.Code.Value, LogLine: n, LogLineEnd: n}})
	}
	return nil
}
