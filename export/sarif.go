package export

import (
	"cmp"
	"strconv"
	"time"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// A part of a SARIF document has a SARIF run for each tool in its events. If a document has only one part, each tool
// has one SARIF run, as code scanning requires. Otherwise a tool may have several SARIF runs.

type sarifRun struct {
	Tool         sarifTool            `json:"tool"`
	Automation   sarifID              `json:"automationDetails"`
	Invocations  []sarifInvocation    `json:"invocations"`
	Provenance   []sarifProvenance    `json:"versionControlProvenance,omitempty"`
	Bases        map[string]sarifBase `json:"originalUriBaseIds"`
	Results      []sarifResult        `json:"results"`
	BaselineRefs *sarifBaseline       `json:"properties,omitempty"`
}

type sarifTool struct {
	Driver struct {
		Name  string    `json:"name"`
		Rules []sarifID `json:"rules,omitempty"`
	} `json:"driver"`
}

type sarifID struct {
	ID string `json:"id"`
}

type sarifInvocation struct {
	CommandLine string `json:"commandLine,omitempty"`
	ExitCode    *int   `json:"exitCode,omitempty"`
	Signal      string `json:"exitSignalName,omitempty"`
	Successful  bool   `json:"executionSuccessful"`
	Start       string `json:"startTimeUtc,omitempty"`
	End         string `json:"endTimeUtc,omitempty"`
}

type sarifProvenance struct {
	Repository string `json:"repositoryUri"`
	Revision   string `json:"revisionId,omitempty"`
	Branch     string `json:"branch,omitempty"`
}

type sarifBase struct {
	Description sarifMessage `json:"description"`
}

type sarifBaseline struct {
	Ref string `json:"baseline_ref"`
}

type sarifMessage struct {
	Text string `json:"text"`
}

type sarifResult struct {
	Rule        string            `json:"ruleId,omitempty"`
	Index       *int              `json:"ruleIndex,omitempty"`
	Level       string            `json:"level"`
	Message     sarifMessage      `json:"message"`
	Locations   []sarifLocation   `json:"locations,omitempty"`
	Fingerprint map[string]string `json:"partialFingerprints,omitempty"`
	State       string            `json:"baselineState,omitempty"`
	Properties  sarifProperties   `json:"properties"`
}

type sarifLocation struct {
	Physical *sarifPlace    `json:"physicalLocation,omitempty"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
}

type sarifPlace struct {
	Artifact struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId,omitempty"`
	} `json:"artifactLocation"`
	Region *sarifRegion `json:"region,omitempty"`
}

type sarifRegion struct {
	Line   int `json:"startLine"`
	Column int `json:"startColumn,omitempty"`
}

type sarifLogical struct {
	Name string `json:"fullyQualifiedName"`
	Kind string `json:"kind"`
}

// sarifProperties are values that have no field in SARIF.
type sarifProperties struct {
	Ref      string         `json:"ref"`
	Category store.Category `json:"category,omitempty"`
	LogLine  int            `json:"log_line,omitempty"`
}

// sourceRoot is the base of relative URIs.
const sourceRoot = "%SRCROOT%"

func sarifHead(d *document) {
	d.WriteString(`{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[`)
}

func sarifFoot(d *document) { d.WriteString("]}\n") }

func sarifEvents(d *document, list []store.Event) {
	var runs []*sarifRun
	of, rules := map[string]*sarifRun{}, map[[2]string]int{}
	for _, e := range list {
		tool := cmp.Or(e.Tool, self)
		r := of[tool]
		if r == nil {
			r = d.sarifRun(tool)
			of[tool], runs = r, append(runs, r)
		}
		result := d.sarifResult(e)
		if e.Code != "" {
			rule := [2]string{tool, e.Code}
			at, known := rules[rule]
			if !known {
				at = len(r.Tool.Driver.Rules)
				rules[rule] = at
				r.Tool.Driver.Rules = append(r.Tool.Driver.Rules, sarifID{e.Code})
			}
			result.Index = &at
		}
		r.Results = append(r.Results, result)
	}
	if d.at.count == 0 && len(runs) == 0 { // an empty run shows that the tool found nothing
		runs = append(runs, d.sarifRun(self))
	}
	for i, r := range runs {
		d.item(d.at.count+i, r)
	}
}

// sarifRun returns a SARIF run of a tool. Code scanning allows one SARIF run of a tool per category. The category is
// the part of the ID before the last slash. So later parts of a document have other categories than the first part.
func (d *document) sarifRun(tool string) *sarifRun {
	category := query.Clean(d.run.Source)
	if leg := query.Clean(d.run.Leg()); leg != "" {
		category += " " + leg
	}
	if d.at.count > 0 {
		category += " from " + strconv.Itoa(d.at.count+1)
	}
	r := &sarifRun{Automation: sarifID{category + "/" + strconv.Itoa(d.run.Serial)}, Results: []sarifResult{},
		Bases: map[string]sarifBase{sourceRoot: {sarifMessage{"the root of the repository"}}}}
	r.Tool.Driver.Name = tool
	call := sarifInvocation{CommandLine: query.Clean(d.run.Command), ExitCode: d.run.ExitCode, Signal: d.run.Signal,
		Successful: d.run.Status() == store.StatusOK, Start: d.run.StartedAt.UTC().Format(time.RFC3339Nano)}
	if !d.run.FinishedAt.IsZero() {
		call.End = d.run.FinishedAt.UTC().Format(time.RFC3339Nano)
	}
	r.Invocations = []sarifInvocation{call}
	if at := d.repository(); at != "" {
		r.Provenance = []sarifProvenance{{at, d.run.Git.Commit, query.Clean(d.run.Git.Branch)}}
	}
	if d.since.Found() {
		r.BaselineRefs = &sarifBaseline{d.since.Run.Ref().String()}
	}
	return r
}

func (d *document) sarifResult(e store.Event) sarifResult {
	r := sarifResult{Rule: e.Code, Level: string(e.Severity), Message: sarifMessage{e.Message},
		Properties: sarifProperties{d.run.Ref().WithEvent(e.ID).String(), e.Category, e.LogLine}}
	if e.Severity == store.SeverityInfo {
		r.Level = "note"
	}
	if e.Fingerprint != "" {
		r.Fingerprint = map[string]string{"blq/v1": e.Fingerprint}
	}
	if fresh, known := d.fresh[e.ID]; known {
		r.State = "unchanged"
		if fresh {
			r.State = "new"
		}
	}
	var at sarifLocation
	if e.File != "" {
		at.Physical = &sarifPlace{}
		var relative bool
		if at.Physical.Artifact.URI, relative = uri(e.File); relative {
			at.Physical.Artifact.Base = sourceRoot
		}
		if e.Line > 0 {
			at.Physical.Region = &sarifRegion{e.Line, e.Column}
		}
	}
	if e.Test != "" {
		at.Logical = []sarifLogical{{e.Test, "function"}}
	}
	if at.Physical != nil || at.Logical != nil {
		r.Locations = []sarifLocation{at}
	}
	return r
}
