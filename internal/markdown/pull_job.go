package markdown

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/blq-ci/blq/store"
)

// Job holds the CI system's facts about a job. The job may have no runs.
type Job struct {
	ID      string `json:"id"`   // equal to check_run_id of the runs
	Name    string `json:"name"` // visible name
	Failed  bool   `json:"failed,omitempty"`
	URL     string `json:"url,omitempty"`
	Attempt int    `json:"attempt,omitempty"`
	// Conclusion is the conclusion from the CI system, "" for a job that has not ended.
	Conclusion string `json:"conclusion,omitempty"`
	Own        bool   `json:"own,omitempty"` // this job writes the report
	// Other is set for a job of another workflow run. PullParams.Needs and PullParams.Conclusion say nothing about such
	// a job.
	Other bool `json:"other,omitempty"`
}

// These are the conclusions of GitHub's jobs that the report treats specially.
const (
	concludedSuccess   = "success"
	concludedCancelled = "cancelled"
)

// FailedConclusion reports whether a conclusion is a failure. Unknown conclusions count as failures: GitHub has
// action_required and stale, and may add others.
func FailedConclusion(c string) bool {
	switch c {
	case "", concludedSuccess, concludedCancelled, "neutral", "skipped":
		return false
	}
	return true
}

// jobOf returns the job of a run, or nil if the job is unknown.
func (p PullParams) jobOf(r store.Run) *Job {
	if r.CI == nil || r.CI.CheckRunID == "" {
		return nil
	}
	for i := range p.Jobs {
		if p.Jobs[i].ID == r.CI.CheckRunID {
			return &p.Jobs[i]
		}
	}
	return nil
}

// current returns each job in its newest attempt. If several jobs have the same name, perhaps only some of them ran
// again. So if the newest attempt has fewer jobs with a name than an earlier attempt, current also returns the jobs of
// the earlier attempt. It leaves out an earlier job if one of its failed steps passed in the newest attempt.
func (v *pullView) current() []Job {
	newest, count := map[string]int{}, map[string]map[int]int{}
	for _, j := range v.params.Jobs {
		newest[j.Name] = max(newest[j.Name], j.Attempt)
		if count[j.Name] == nil {
			count[j.Name] = map[int]int{}
		}
		count[j.Name][j.Attempt]++
	}
	var list []Job
	for _, j := range v.params.Jobs {
		last := newest[j.Name]
		if j.Attempt == last || count[j.Name][last] < count[j.Name][j.Attempt] && !v.replaced(j, last) {
			list = append(list, j)
		}
	}
	return list
}

// replaced reports whether a step that failed in a job passed in the job of the same name in the given later attempt.
func (v *pullView) replaced(j Job, attempt int) bool {
	again := func(r store.Run) bool {
		return slices.ContainsFunc(v.params.Jobs, func(later Job) bool {
			return later.Attempt == attempt && later.Name == j.Name && r.CI != nil && r.CI.CheckRunID == later.ID
		})
	}
	for _, f := range v.flaky {
		if f.failed.CI != nil && f.failed.CI.CheckRunID == j.ID && again(f.passed) {
			return true
		}
	}
	return false
}

// mayFail reports whether a run is allowed to fail. This is so if the CI system says that the run's job succeeded, or
// that the workflow ignores its failure.
func (v *pullView) mayFail(r store.Run) bool {
	p := v.params
	if r.CI == nil {
		return false
	}
	ours, j := r.CI.RunID == p.RunID, p.jobOf(r)
	switch {
	case j != nil && j.Conclusion == concludedSuccess, ours && p.Conclusion == concludedSuccess:
		return true
	case !ours, p.Conclusion != "":
		return false
	case p.Needs[r.CI.Job] != "" && p.Needs[r.CI.Job] != concludedSuccess:
		return false // another job may have the visible name of this one
	case j != nil:
		return v.forgiven(*j)
	}
	if named := v.jobsNamed(r); r.CI.CheckRunID == "" && len(named) > 0 {
		return !slices.ContainsFunc(named, func(j Job) bool { return j.Conclusion != concludedSuccess && !v.forgiven(j) })
	}
	return p.Needs[r.CI.Job] == concludedSuccess && v.needsExplained() && !v.isTwice(r)
}

// isTwice reports whether another job execution has the job ID and leg of a run. This happens if one of the two jobs
// is a job of a called workflow. Then it is unknown which of the two jobs Needs means.
func (v *pullView) isTwice(r store.Run) bool {
	return slices.ContainsFunc(v.runs, func(f *Facts) bool {
		o := f.Run.CI
		if o == nil || o.Job != r.CI.Job || f.Run.Leg() != r.Leg() || executionOf(f.Run) != executionOf(r) {
			return false
		}
		differ := func(x, y string) bool { return x != "" && y != "" && x != y }
		return differ(o.CheckRunID, r.CI.CheckRunID) || differ(o.JobRun, r.CI.JobRun)
	})
}

// forgiven reports whether the workflow counts a failed job as a success. This is so if the whole workflow succeeded,
// or if Needs has the result success for the job. A failed job has this result if it is allowed to fail. Needs has no
// jobs of called workflows, but such a job may have the same name as a job in Needs. So Needs counts only if
// needsExplained is true.
func (v *pullView) forgiven(j Job) bool {
	if j.Other {
		return false
	}
	return v.params.Conclusion == concludedSuccess ||
		v.params.Needs[v.idOf(j)] == concludedSuccess && v.needsExplained()
}

// idOf returns the ID by which Needs names a job, or "" if the ID is unknown. The workflow may give a job any visible
// name, even the ID of another job. A run has the ID of its job. For a job without runs, idOf uses the visible name
// without the leg, unless a run shows that another job has this ID.
func (v *pullView) idOf(j Job) string {
	id := idInName(j.Name)
	for _, f := range v.runs {
		of := v.params.jobOf(f.Run)
		switch {
		case of == nil || f.Run.CI.Job == "":
		case of.ID == j.ID && !strings.Contains(j.Name, " / "): // not a job of a called workflow
			return f.Run.CI.Job
		case f.Run.CI.Job == id && idInName(of.Name) != id && !strings.Contains(of.Name, " / "):
			id = ""
		}
	}
	return id
}

// idInName returns the ID of a job to which the workflow gives no name. GitHub then shows a name that begins with the
// ID, such as "build (linux)" for the ID "build".
func idInName(name string) string {
	id, _, _ := strings.Cut(name, " (")
	return id
}

// jobsNamed returns the jobs that match a run by their names.
func (v *pullView) jobsNamed(r store.Run) []Job {
	var list []Job
	for _, j := range v.current() {
		if couldBe(j, r) {
			list = append(list, j)
		}
	}
	return list
}

// couldBe reports whether a run may belong to a job. It compares the name of the job, which has the form
// "caller / job (leg)", without the caller.
func couldBe(j Job, r store.Run) bool {
	if r.CI == nil || r.CI.Job == "" {
		return false
	}
	name := j.Name
	if i := strings.LastIndex(name, " / "); i >= 0 {
		name = name[i+3:]
	}
	leg := legWords(r.CI.Matrix)
	return name == r.CI.Job && leg == "" || leg != "" && name == r.CI.Job+" ("+leg+")"
}

// needsExplained reports whether each failed job in Needs has a failed run. If one has none, a called workflow may have
// a job with the same name as another job.
func (v *pullView) needsExplained() bool {
	for name, result := range v.params.Needs {
		if FailedConclusion(result) && !slices.ContainsFunc(v.runs, func(f *Facts) bool { return failedIn(f, name) }) {
			return false
		}
	}
	return true
}

func failedIn(f *Facts, job string) bool {
	return f.Run.CI != nil && f.Run.CI.Job == job && f.Run.State != store.StateRunning && f.Run.Status() != store.StatusOK
}

// checkJobs finds unfinished jobs, failed jobs and cancelled jobs. It leaves out failed and cancelled jobs that a run
// explains, or that the workflow counts as a success.
func (v *pullView) checkJobs() {
	list := v.current()
	if len(list) == 0 {
		list = v.needed()
	}
	unnamed := 0 // failed runs whose jobs are unknown; each may explain one job
	for _, f := range v.runs {
		if v.fails(f) && v.params.jobOf(f.Run) == nil &&
			!slices.ContainsFunc(list, func(j Job) bool { return couldBe(j, f.Run) }) {
			unnamed++
		}
	}
	for _, j := range list {
		failed := j.Failed || FailedConclusion(j.Conclusion)
		switch {
		case !failed && j.Conclusion != concludedCancelled, v.explains(j), v.forgiven(j):
		case failed && unnamed > 0:
			unnamed--
		case failed:
			v.silent = append(v.silent, j)
		default:
			v.cancelled = append(v.cancelled, j)
		}
	}
	v.checkWorkflow()
	for _, j := range list {
		if j.Conclusion == "" && !j.Own && v.params.Conclusion == "" {
			v.open = append(v.open, j)
		}
	}
}

// checkWorkflow adds the workflow run itself if it failed or was cancelled, and neither a job nor a run explains
// that.
func (v *pullView) checkWorkflow() {
	if len(v.silent)+len(v.cancelled) > 0 || slices.ContainsFunc(v.runs, v.fails) {
		return
	}
	all := Job{Name: cmp.Or(v.params.Workflow, "workflow run")}
	switch {
	case FailedConclusion(v.params.Conclusion):
		v.silent = append(v.silent, all)
	case v.params.Conclusion == concludedCancelled:
		v.cancelled = append(v.cancelled, all)
	}
}

// needed returns the jobs in Needs.
func (v *pullView) needed() []Job {
	var list []Job
	for name, result := range v.params.Needs {
		list = append(list, Job{Name: name, Conclusion: result})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}

// fails reports whether a run failed and must pass.
func (v *pullView) fails(f *Facts) bool {
	return f.Run.State != store.StateRunning && f.Run.Status() != store.StatusOK && !v.allowed[f]
}

// explains reports whether a failed run explains the failure of a job.
func (v *pullView) explains(j Job) bool {
	return slices.ContainsFunc(v.runs, func(f *Facts) bool { return v.fails(f) && v.isOf(f.Run, j) })
}

// saw reports whether there is a run of a job, or a run whose job is unknown.
func (v *pullView) saw(j Job) bool {
	return slices.ContainsFunc(v.runs, func(f *Facts) bool {
		return v.isOf(f.Run, j) || v.params.jobOf(f.Run) == nil &&
			!slices.ContainsFunc(v.current(), func(j Job) bool { return couldBe(j, f.Run) })
	})
}

func (v *pullView) isOf(r store.Run, j Job) bool {
	if of := v.params.jobOf(r); of != nil {
		return of.ID == j.ID
	}
	return couldBe(j, r)
}
