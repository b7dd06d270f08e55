package export

import (
	"fmt"
	"slices"
	"time"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// ctrfHeader is the part of a CTRF report before its tests. See https://ctrf.io.
type ctrfHeader struct {
	Format      string    `json:"reportFormat"`
	Version     string    `json:"specVersion"`
	RunID       string    `json:"runId"`
	Timestamp   time.Time `json:"timestamp"`
	GeneratedBy string    `json:"generatedBy"`
}

type ctrfSummary struct {
	Tests    int   `json:"tests"`
	Passed   int   `json:"passed"`
	Failed   int   `json:"failed"`
	Skipped  int   `json:"skipped"`
	Pending  int   `json:"pending"`
	Other    int   `json:"other"`
	Flaky    int   `json:"flaky"`
	Start    int64 `json:"start"` // in milliseconds, like all times in CTRF
	Stop     int64 `json:"stop"`
	Duration int64 `json:"duration"`
}

type ctrfEnvironment struct {
	BuildName  string `json:"buildName,omitempty"`
	BuildID    string `json:"buildId,omitempty"`
	BuildURL   string `json:"buildUrl,omitempty"`
	Repository string `json:"repositoryName,omitempty"`
	Commit     string `json:"commit,omitempty"`
	Branch     string `json:"branchName,omitempty"`
	Platform   string `json:"osPlatform,omitempty"`
}

type ctrfTest struct {
	Name      string        `json:"name"`
	Status    string        `json:"status"`
	Duration  int64         `json:"duration"`
	Message   string        `json:"message,omitempty"`
	Trace     string        `json:"trace,omitempty"`
	Line      int           `json:"line,omitempty"`
	RawStatus string        `json:"rawStatus,omitempty"`
	File      string        `json:"filePath,omitempty"`
	Retries   int           `json:"retries,omitempty"`
	Attempts  []ctrfAttempt `json:"retryAttempts,omitempty"` // all attempts before the last one
	Flaky     bool          `json:"flaky,omitempty"`
}

type ctrfAttempt struct {
	Attempt  int    `json:"attempt"`
	Status   string `json:"status"`
	Duration int64  `json:"duration"`
	Message  string `json:"message,omitempty"`
	Line     int    `json:"line,omitempty"`
}

// ctrfStatus returns the status of an outcome. A failure of the machine or the network is neither passed nor failed.
func ctrfStatus(o store.TestOutcome) string {
	switch o {
	case store.TestError:
		return "failed"
	case store.TestInfra:
		return "other"
	}
	return o.String()
}

func ctrfHead(d *document) {
	end := d.end()
	d.WriteString("{")
	d.members(ctrfHeader{"CTRF", "0.0.0", d.run.Attempt, end, self})
	d.WriteString(`,"results":{"tool":`)
	d.json(struct {
		Name string `json:"name"`
	}{d.toolOf()})
	d.WriteString(`,"summary":`)
	d.json(ctrfSummary{Tests: d.sum.Tests, Passed: d.sum.Passed(), Failed: d.sum.Failed, Skipped: d.sum.Skipped,
		Other: d.sum.Infra, Flaky: d.sum.Flaky, Start: d.run.StartedAt.UnixMilli(), Stop: end.UnixMilli(),
		Duration: d.run.Duration().Milliseconds()})
	d.WriteString(`,"tests":[`)
}

// end returns the time at which the run ended. For a run whose recorder died, this is the time of the last heartbeat.
func (d *document) end() time.Time {
	for _, t := range []time.Time{d.run.FinishedAt, d.run.HeartbeatAt} {
		if t.After(d.run.StartedAt) {
			return t.UTC()
		}
	}
	return d.run.StartedAt.UTC()
}

func ctrfTests(d *document, list []testCase) {
	for i, t := range list {
		last := t.last()
		r := ctrfTest{Name: t.name, Status: ctrfStatus(last.outcome), Duration: milliseconds(last.duration), File: t.file,
			Retries: len(t.attempts) - 1, Flaky: t.flaky()}
		if last.failed() {
			r.explain(t)
		}
		if last.outcome == store.TestError || last.outcome == store.TestInfra {
			r.RawStatus = last.outcome.String()
		}
		for n, a := range t.attempts[:len(t.attempts)-1] {
			_, line := a.place()
			r.Attempts = append(r.Attempts, ctrfAttempt{n + 1, ctrfStatus(a.outcome),
				milliseconds(a.duration), a.message(), line})
		}
		d.item(d.at.count+i, r)
	}
}

// explain adds the reason of the failure to a failed test. A log often has only one reason for all attempts. So the
// reason comes from the last attempt that has one.
func (r *ctrfTest) explain(t testCase) {
	for _, a := range slices.Backward(t.attempts) {
		if a.event == nil {
			continue
		}
		switch file, line := a.place(); {
		case r.File == file:
			r.Line = line
		case r.File == "" && line > 0: // filePath is the file of the test, but only the place of the failure is known
			r.Trace = fmt.Sprintf("%s:%d", file, line)
		}
		r.Message = a.message()
		return
	}
}

func milliseconds(d time.Duration) int64 { return d.Round(time.Millisecond).Milliseconds() }

func ctrfFoot(d *document) {
	d.WriteString(`],"environment":`)
	e := ctrfEnvironment{Repository: d.run.Repo, Commit: d.run.Git.Commit, Branch: d.run.Git.Branch,
		Platform: d.run.Platform}
	if c := d.run.CI; c != nil {
		e.BuildName, e.BuildID, e.BuildURL = query.Clean(c.Workflow), query.Clean(c.RunID), query.Clean(c.URL)
	}
	e.Branch = query.Clean(e.Branch)
	d.json(e)
	d.WriteString("}}\n")
}
