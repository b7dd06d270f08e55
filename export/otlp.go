package export

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// An OTLP document is one line of JSON with the trace of a run. The span of the run has the events, and a child span
// for each attempt of a test. All steps of a workflow run are in one trace. Names of attributes follow OpenTelemetry's
// conventions for CI/CD, version control, tests, processes and code.

type otlpSpan struct {
	Trace      string          `json:"traceId"`
	ID         string          `json:"spanId"`
	Parent     string          `json:"parentSpanId,omitempty"`
	Name       string          `json:"name"`
	Kind       int             `json:"kind"` // 1 means internal
	Start      string          `json:"startTimeUnixNano"`
	End        string          `json:"endTimeUnixNano"`
	Attributes []otlpAttribute `json:"attributes"`
	Status     otlpStatus      `json:"status"`
}

type otlpStatus struct {
	Message string `json:"message,omitempty"`
	Code    int    `json:"code,omitempty"` // 1 means ok, 2 means error
}

type otlpEvent struct {
	Time       string          `json:"timeUnixNano"`
	Name       string          `json:"name"`
	Attributes []otlpAttribute `json:"attributes"`
}

type otlpAttribute struct {
	Key   string    `json:"key"`
	Value otlpValue `json:"value"`
}

type otlpValue struct {
	Text   *string `json:"stringValue,omitempty"`
	Number string  `json:"intValue,omitempty"` // the JSON of protocol buffers writes 64-bit numbers as strings
}

// attributes collects attributes. It drops attributes without a value.
type attributes []otlpAttribute

func (a *attributes) text(key, value string) {
	if value = query.Clean(value); value != "" {
		*a = append(*a, otlpAttribute{key, otlpValue{Text: &value}})
	}
}

func (a *attributes) number(key string, n int) {
	if n != 0 {
		*a = append(*a, otlpAttribute{key, otlpValue{Number: strconv.Itoa(n)}})
	}
}

// hash returns the first n bytes of a digest of the parts, in hexadecimal.
func hash(n int, parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:n])
}

// trace returns the ID of the trace. The ID is a hash of the workflow run, or of the run's attempt ID if the run
// belongs to no workflow run.
func (d *document) trace() string {
	if c := d.run.CI; c != nil && c.RunID != "" {
		return hash(16, "trace", c.Provider, cmp.Or(d.run.Repo, c.Repo), c.RunID, strconv.Itoa(c.RunAttempt))
	}
	return hash(16, "trace", d.run.Attempt)
}

// span returns the ID of a span.
func (d *document) span(parts ...string) string {
	return hash(8, append([]string{"span", d.run.Attempt, d.run.Ref().String()}, parts...)...)
}

func nanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

func otlpHead(d *document) {
	d.WriteString(`{"resourceSpans":[{"resource":{"attributes":`)
	d.json(d.resource())
	d.WriteString(`},"scopeSpans":[{"scope":{"name":"github.com/blq-ci/blq"},"spans":[{`)
	status := otlpStatus{Code: 1}
	if s := d.run.Status(); s != store.StatusOK {
		status = otlpStatus{string(s), 2}
	}
	d.members(otlpSpan{Trace: d.trace(), ID: d.span(), Name: "RUN " + query.Clean(d.run.Source), Kind: 1,
		Start: nanos(d.run.StartedAt), End: nanos(d.end()), Attributes: d.task(), Status: status})
	d.WriteString(`,"events":[`)
}

func otlpEvents(d *document, list []store.Event) {
	at := nanos(d.end())
	for i, e := range list {
		a := attributes{}
		name := "blq." + string(e.Severity)
		if e.Severity == store.SeverityError {
			name = "exception"
		}
		a.text("exception.message", e.Message)
		a.text("exception.type", cmp.Or(e.Code, string(e.Category)))
		a.text("code.file.path", e.File)
		a.number("code.line.number", e.Line)
		a.number("code.column.number", e.Column)
		a.text("test.case.name", e.Test)
		a.text("blq.tool", e.Tool)
		a.text("blq.severity", string(e.Severity))
		a.text("blq.fingerprint", e.Fingerprint)
		a.text("blq.ref", d.run.Ref().WithEvent(e.ID).String())
		if d.at.count+i > 0 {
			d.WriteString(",")
		}
		d.json(otlpEvent{at, name, a})
	}
}

func otlpMiddle(d *document) { d.WriteString("]}") }

// otlpTests writes a span for each attempt of a test. The start of an attempt is unknown, so the span of the attempt
// begins at the start of the run.
func otlpTests(d *document, list []testCase) {
	for _, t := range list {
		for n, try := range t.attempts {
			a := attributes{}
			a.text("test.case.name", t.name)
			a.text("test.case.result.status", testStatus(try.outcome))
			a.text("code.file.path", t.file)
			if len(t.attempts) > 1 {
				a.number("blq.test.attempt", n+1)
			}
			status := otlpStatus{}
			switch {
			case try.outcome == store.TestPassed:
				status.Code = 1
			case try.failed():
				status = otlpStatus{try.message(), 2}
				a.text("error.type", try.outcome.String())
			}
			d.WriteString(",")
			d.json(otlpSpan{Trace: d.trace(), ID: d.span(t.name, t.file, strconv.Itoa(n)), Parent: d.span(), Name: t.name,
				Kind: 1, Start: nanos(d.run.StartedAt), End: nanos(d.run.StartedAt.Add(try.duration)), Attributes: a,
				Status: status})
		}
	}
}

func otlpFoot(d *document) { d.WriteString("]}]}]}\n") }

// testStatus returns an outcome in the words of OpenTelemetry's conventions. It returns "skip" for a skipped test,
// because the conventions have no word for it.
func testStatus(o store.TestOutcome) string {
	switch o {
	case store.TestPassed:
		return "pass"
	case store.TestSkipped:
		return "skip"
	}
	return "fail"
}

// resource returns the attributes of the run's repository, commit, machine, pull request and pipeline.
func (d *document) resource() attributes {
	r := d.run
	a := attributes{}
	name := r.Repo
	if r.CI != nil && name == "" {
		name = r.CI.Repo
	}
	a.text("service.name", cmp.Or(name, self))
	a.text("vcs.repository.name", name[strings.LastIndexByte(name, '/')+1:])
	a.text("vcs.repository.url.full", d.repository())
	a.text("vcs.ref.head.revision", r.Git.Commit)
	if a.text("vcs.ref.head.name", r.Git.Branch); r.Git.Branch != "" {
		a.text("vcs.ref.head.type", "branch")
	}
	a.text("os.type", strings.ToLower(r.Platform))
	a.text("host.arch", strings.ReplaceAll(r.Arch, "x86_64", "amd64"))
	if r.CI == nil {
		return a
	}
	if r.CI.PR > 0 {
		a.text("vcs.change.id", strconv.Itoa(r.CI.PR))
	}
	if a.text("vcs.ref.base.name", r.CI.BaseRef); r.CI.BaseRef != "" {
		a.text("vcs.ref.base.type", "branch")
	}
	a.text("vcs.ref.base.revision", r.CI.BaseSHA)
	a.text("cicd.pipeline.name", r.CI.Workflow)
	a.text("cicd.pipeline.run.id", r.CI.RunID)
	return a
}

// task returns the attributes of the run.
func (d *document) task() attributes {
	r := d.run
	a := attributes{}
	name := r.Source
	if r.CI != nil && r.CI.Job != "" {
		name = fmt.Sprintf("%s / %s", r.CI.Job, r.Source)
	}
	a.text("cicd.pipeline.task.name", name)
	a.text("cicd.pipeline.task.run.id", r.Attempt)
	a.text("cicd.pipeline.task.run.url.full", d.job())
	a.text("cicd.pipeline.task.run.result", taskResult[r.Status()])
	a.text("process.command_line", r.Command)
	if r.ExitCode != nil {
		a = append(a, otlpAttribute{"process.exit.code", otlpValue{Number: strconv.Itoa(*r.ExitCode)}})
	}
	if s := r.Status(); s != store.StatusOK {
		a.text("error.type", string(s))
	}
	if d.known {
		a.text("test.suite.name", r.Source)
		a.text("test.suite.run.status", suiteStatus(d.sum))
	}
	a.text("blq.run_ref", r.Ref().String())
	return a
}

// taskResult maps the status of a run to the result of a task. A run whose recorder died counts as an error of the CI
// system.
var taskResult = map[store.Status]string{store.StatusOK: "success", store.StatusFail: "failure",
	store.StatusTimeout: "timeout", store.StatusCancelled: "cancellation", store.StatusOrphaned: "error"}

func suiteStatus(s store.TestSum) string {
	switch {
	case s.Failed > 0 || s.Infra > 0:
		return "failure"
	case s.Skipped == s.Tests:
		return "skipped"
	}
	return "success"
}
