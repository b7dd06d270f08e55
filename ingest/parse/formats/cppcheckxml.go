package formats

import (
	"encoding/xml"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// cppcheckXML is the report of cppcheck --xml, version 2.
type cppcheckXML struct {
	Errors []struct {
		ID       string `xml:"id,attr"`
		Severity string `xml:"severity,attr"`
		Message  string `xml:"msg,attr"`
		Location []struct {
			File   string `xml:"file,attr"`
			Line   int    `xml:"line,attr"`
			Column int    `xml:"column,attr"`
		} `xml:"location"`
	} `xml:"errors>error"`
}

func readCppcheckXML(s *parse.Scan, d *parse.Text) error {
	var report cppcheckXML
	if err := xml.Unmarshal(d.Data, &report); err != nil {
		return err
	}
	search := newSearch(d)
	for _, e := range report.Errors {
		search.find([]byte(`<error id="` + e.ID + `"`))
		draft := parse.Draft{Event: store.Event{Severity: parse.SeverityOf(e.Severity, store.SeverityInfo),
			Message: e.Message, Code: e.ID, Category: store.CategoryLint, LogLine: d.Line(max(search.from-1, 0))}}
		if len(e.Location) > 0 {
			draft.At(e.Location[0].File, e.Location[0].Line, e.Location[0].Column)
		}
		s.Add(draft)
	}
	return nil
}
