package githubtest

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// onJob calls the function with the requested job, or answers 404.
func (c *call) onJob(r *repository, do func(*Run, Job)) {
	for _, run := range r.runs {
		for _, j := range run.Jobs {
			if j.ID == c.number("job") {
				do(run, j)
				return
			}
		}
	}
	c.notFound()
}

func (c *call) job(r *repository) {
	c.onJob(r, func(run *Run, j Job) { c.say(http.StatusOK, c.g.describeJob(r, run, j)) })
}

// jobLog redirects to the log of a completed job.
func (c *call) jobLog(r *repository) {
	c.onJob(r, func(_ *Run, j Job) {
		if j.Log == "" || j.Status != "completed" {
			c.notFound()
			return
		}
		c.redirect("/%s/job-%d.txt", r.name, j.ID)
	})
}

// attemptLogs redirects to the zip file with the logs of an attempt.
func (c *call) attemptLogs(r *repository) {
	c.onRun(r, func(run *Run) { c.redirect("/%s/run-%d-%d.zip", r.name, run.ID, c.number("attempt")) })
}

func (c *call) redirect(format string, args ...any) {
	at := c.g.storage.URL + fmt.Sprintf(format, args...) + "?sig=signed"
	c.answer = answer{status: http.StatusFound, header: http.Header{"Location": {at}}}
}

// log returns the log at a path of the storage, and reports whether there is such a log.
func (run *Run) log(repo, path string) (string, bool) {
	for _, j := range run.Jobs {
		if path == fmt.Sprintf("/%s/job-%d.txt", repo, j.ID) {
			return j.Log, true
		}
		if path == fmt.Sprintf("/%s/run-%d-%d.zip", repo, run.ID, j.Attempt) {
			files := map[string]string{}
			for i, of := range run.Jobs {
				folder := strings.NewReplacer("/", "", ":", "").Replace(of.Name)
				files[fmt.Sprintf("%d_%s.txt", i, folder)] = cmp.Or(of.Log, of.Archived)
				for name, text := range of.Files {
					files[folder+"/"+name] = text
				}
			}
			return string(Zip(files)), true
		}
	}
	return "", false
}

// describeRun returns a workflow run as JSON.
func (g *GitHub) describeRun(r *repository, run *Run) object {
	pulls := []object{}
	for _, p := range r.pulls {
		if p.HeadRepo == r.name && p.HeadRef == run.HeadBranch && run.HeadRepo == r.name {
			of := object{"id": r.id, "name": r.name, "url": g.address("")}
			pulls = append(pulls, object{"id": p.Number, "number": p.Number,
				"url":  g.address("/repos/%s/pulls/%d", r.name, p.Number),
				"head": object{"ref": p.HeadRef, "sha": p.HeadSHA, "repo": of},
				"base": object{"ref": p.BaseRef, "sha": p.BaseSHA, "repo": of}})
		}
	}
	head := r.id
	if run.HeadRepo != r.name {
		head = idOf(run.HeadRepo)
	}
	return object{
		"id": run.ID, "run_attempt": run.Attempt, "event": run.Event, "status": run.Status,
		"conclusion": orNull(run.Conclusion), "path": run.Workflow, "name": "CI", "head_branch": run.HeadBranch,
		"head_sha": run.HeadSHA, "html_url": g.address("/%s/actions/runs/%d", r.name, run.ID), "created_at": At,
		"updated_at": At.Add(time.Minute), "actor": person("octocat"), "pull_requests": pulls,
		"head_repository": object{"id": head, "full_name": run.HeadRepo}, "repository": r.describe(nil),
	}
}

func (c *call) run(r *repository) {
	c.onRun(r, func(run *Run) { c.say(http.StatusOK, c.g.describeRun(r, run)) })
}

func (c *call) runs(r *repository) {
	list := []object{}
	q := c.URL.Query()
	matches := func(name, value string) bool { return q.Get(name) == "" || q.Get(name) == value }
	for _, run := range page(c, r.runs) {
		if matches("status", run.Status) && matches("head_sha", run.HeadSHA) {
			list = append(list, c.g.describeRun(r, run))
		}
	}
	c.say(http.StatusOK, object{"total_count": len(r.runs), "workflow_runs": list})
}
