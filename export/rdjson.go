package export

import "github.com/blq-ci/blq/store"

// rdDiagnostic is a Diagnostic in the format of reviewdog.
type rdDiagnostic struct {
	Message  string      `json:"message"`
	Location *rdLocation `json:"location,omitempty"`
	Severity string      `json:"severity"`
	Source   *rdSource   `json:"source,omitempty"`
	Code     *rdCode     `json:"code,omitempty"`
}

type rdLocation struct {
	Path  string   `json:"path"`
	Range *rdRange `json:"range,omitempty"`
}

type rdRange struct {
	Start rdPosition `json:"start"`
}

type rdPosition struct {
	Line   int `json:"line"`
	Column int `json:"column,omitempty"`
}

type rdSource struct {
	Name string `json:"name"`
}

type rdCode struct {
	Value string `json:"value"`
}

var rdSeverity = map[store.Severity]string{store.SeverityError: "ERROR", store.SeverityWarning: "WARNING",
	store.SeverityInfo: "INFO"}

func diagnostic(e store.Event) rdDiagnostic {
	r := rdDiagnostic{Message: e.Message, Severity: rdSeverity[e.Severity]}
	if e.File != "" {
		r.Location = &rdLocation{Path: e.File}
		if e.Line > 0 {
			r.Location.Range = &rdRange{rdPosition{e.Line, e.Column}}
		}
	}
	if e.Tool != "" {
		r.Source = &rdSource{e.Tool}
	}
	if e.Code != "" {
		r.Code = &rdCode{e.Code}
	}
	return r
}

func rdjsonHead(d *document) {
	d.WriteString(`{"source":`)
	d.json(rdSource{self})
	d.WriteString(`,"diagnostics":[`)
}

func rdjsonEvents(d *document, list []store.Event) {
	for i, e := range list {
		d.item(d.at.count+i, diagnostic(e))
	}
}

func rdjsonFoot(d *document) { d.WriteString("]}\n") }

func rdjsonlEvents(d *document, list []store.Event) {
	for _, e := range list {
		d.json(diagnostic(e))
		d.WriteString("\n")
	}
}
