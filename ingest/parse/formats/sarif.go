package formats

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/url"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// sarifFormat reads SARIF 2.1, which most static analysers can write.
var sarifFormat = parse.Format{
	Name:  "sarif",
	About: "SARIF 2.1 reports of any analyser",
	Document: &parse.Document{
		Sniff: func(head []byte) bool {
			return bytes.HasPrefix(head, []byte("{")) &&
				(bytes.Contains(head, []byte(`"runs"`)) || bytes.Contains(head, []byte("sarif"))) &&
				(bytes.Contains(head, []byte("sarif")) || bytes.Contains(head, []byte(`"driver"`)))
		},
		Read: readSARIF,
	},
}

type sarifReport struct {
	Runs []struct {
		Tool struct {
			Driver struct {
				Name  string      `json:"name"`
				Rules []sarifRule `json:"rules"`
			} `json:"driver"`
		} `json:"tool"`
		Results []sarifResult `json:"results"`
	} `json:"runs"`
}

type sarifRule struct {
	ID                   string       `json:"id"`
	ShortDescription     sarifMessage `json:"shortDescription"`
	DefaultConfiguration struct {
		Level string `json:"level"`
	} `json:"defaultConfiguration"`
}

type sarifMessage struct {
	Text string `json:"text"`
	ID   string `json:"id"`
}

type sarifResult struct {
	RuleID    string       `json:"ruleId"`
	RuleIndex *int         `json:"ruleIndex"`
	Kind      string       `json:"kind"`
	Level     string       `json:"level"`
	Message   sarifMessage `json:"message"`
	Locations []struct {
		PhysicalLocation struct {
			ArtifactLocation struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region struct {
				StartLine   int `json:"startLine"`
				StartColumn int `json:"startColumn"`
			} `json:"region"`
		} `json:"physicalLocation"`
		Logical []struct {
			Name string `json:"fullyQualifiedName"`
		} `json:"logicalLocations"`
	} `json:"locations"`
	Suppressions []json.RawMessage `json:"suppressions"`

	sarifOurs
}

// sarifOurs holds the fields of a result that only the exports of blq need. restore reads them, and ignores them in
// reports of other tools.
type sarifOurs struct {
	Fingerprints map[string]json.RawMessage `json:"partialFingerprints"`
	Properties   json.RawMessage            `json:"properties"`
}

// restore sets the category and the test of an event that blq exported.
func (r *sarifResult) restore(e *store.Event) {
	var p struct {
		Category store.Category `json:"category"`
	}
	if r.Fingerprints["blq/v1"] == nil || json.Unmarshal(r.Properties, &p) != nil || p.Category == "" {
		return
	}
	if e.Category = p.Category; len(r.Locations) > 0 && len(r.Locations[0].Logical) > 0 {
		e.Test = r.Locations[0].Logical[0].Name
	}
}

func readSARIF(s *parse.Scan, d *parse.Text) error {
	var report sarifReport
	if err := json.Unmarshal(d.Data, &report); err != nil {
		return err
	}
	if len(report.Runs) == 0 {
		return errors.New("no runs")
	}
	search := newSearch(d)
	for _, run := range report.Runs {
		tool := strings.ToLower(run.Tool.Driver.Name)
		for _, res := range run.Results {
			n := search.line(res.Message.Text)
			if res.Kind == "pass" || res.Kind == "notApplicable" || len(res.Suppressions) > 0 {
				continue
			}
			e := store.Event{Tool: tool, Category: store.CategoryLint, LogLine: n, LogLineEnd: n}
			res.fill(&e, run.Tool.Driver.Rules)
			res.restore(&e)
			s.Add(parse.Draft{Event: e})
		}
	}
	return nil
}

// fill copies the code, message, severity and place of a result into an event. If the result has no code, message or
// level, fill takes it from the rule of the result.
func (r *sarifResult) fill(e *store.Event, rules []sarifRule) {
	e.Code, e.Message = r.RuleID, r.Message.Text
	level := r.Level
	if r.RuleIndex != nil && *r.RuleIndex >= 0 && *r.RuleIndex < len(rules) {
		rule := rules[*r.RuleIndex]
		if e.Code == "" {
			e.Code = rule.ID
		}
		if level == "" {
			level = rule.DefaultConfiguration.Level
		}
		if e.Message == "" {
			e.Message = rule.ShortDescription.Text
		}
	}
	e.Severity = parse.SeverityOf(level, store.SeverityWarning) // SARIF's default
	if level == "none" {
		e.Severity = store.SeverityInfo
	}
	if len(r.Locations) > 0 {
		at := r.Locations[0].PhysicalLocation
		e.File, e.Line, e.Column = sarifFile(at.ArtifactLocation.URI), at.Region.StartLine, at.Region.StartColumn
	}
}

func sarifFile(uri string) string {
	if u, err := url.Parse(uri); err == nil && (u.Scheme == "file" || u.Scheme == "") && u.Path != "" {
		return u.Path
	}
	return uri
}
