package githubtest

import (
	"archive/zip"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Run is a workflow run.
type Run struct {
	ID         int64
	Attempt    int    // 0 for the newest attempt in Jobs
	Event      string // "" for push
	Workflow   string // "" for .github/workflows/ci.yml
	HeadBranch string
	HeadSHA    string
	HeadRepo   string // "" for the repository itself
	Status     string // "" for completed
	Conclusion string
	Began      time.Duration // when its jobs started, after At
	Jobs       []Job
	Artifacts  []Artifact
}

// Job is a job of an attempt, or a leg of its matrix.
type Job struct {
	ID         int64
	Attempt    int // attempt of the workflow run; 0 means 1
	Name       string
	Status     string // "" for completed
	Conclusion string // "" for success, if completed
	Steps      []Step
	Log        string // log that its runner wrote; "" for none
	Labels     []string
	Files      map[string]string // logs of steps in the archive of the run: "3_Build.txt"
	Archived   string            // log of the job in the archive of the run
}

// Step is a step of a job. Times are in seconds after the start of the job.
type Step struct {
	Name       string
	Conclusion string // "" for success
	From, To   int
}

// At is the start of all jobs whose run has no Began.
var At = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// Artifact is a file that a run uploaded.
type Artifact struct {
	ID      int64
	Name    string
	Zip     []byte
	Expired bool
}

// Zip returns a zip file of these files.
func Zip(files map[string]string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(files[name]))
		}
		if err != nil {
			panic(err) // writing to memory cannot fail
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// SetRun adds a workflow run, or replaces the run with the same ID.
func (g *GitHub) SetRun(repo string, run Run) {
	g.change(repo, func(r *repository) { g.setRun(r, run) })
}

func (g *GitHub) setRun(r *repository, run Run) {
	for i := range run.Jobs {
		j := &run.Jobs[i]
		j.Attempt = max(1, j.Attempt)
		run.Attempt = max(run.Attempt, j.Attempt)
		if j.Status == "" {
			j.Status = "completed"
		}
		if j.Conclusion == "" && j.Status == "completed" {
			j.Conclusion = "success"
		}
	}
	run.Attempt = max(1, run.Attempt)
	for _, f := range []struct {
		s         *string
		otherwise string
	}{{&run.Event, "push"}, {&run.Workflow, ".github/workflows/ci.yml"}, {&run.HeadBranch, "main"},
		{&run.HeadSHA, strings.Repeat("a", 40)}, {&run.HeadRepo, r.name}, {&run.Status, "completed"}} {
		if *f.s == "" {
			*f.s = f.otherwise
		}
	}
	r.runs = slices.DeleteFunc(r.runs, func(other *Run) bool { return other.ID == run.ID })
	r.runs = append(r.runs, &run)
}

// onRun calls the function with the requested run, or answers 404.
func (c *call) onRun(r *repository, do func(*Run)) {
	for _, run := range r.runs {
		if run.ID == c.number("run") {
			do(run)
			return
		}
	}
	c.notFound()
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func (c *call) jobs(r *repository) {
	c.onRun(r, func(run *Run) {
		attempt := run.Attempt
		all := slices.DeleteFunc(slices.Clone(run.Jobs), func(j Job) bool {
			return j.Attempt != attempt && c.URL.Query().Get("filter") != "all"
		})
		list := []object{}
		for _, j := range page(c, all) {
			list = append(list, c.g.describeJob(r, run, j))
		}
		c.say(http.StatusOK, object{"total_count": len(all), "jobs": list})
	})
}

// describeJob returns a job as JSON.
func (g *GitHub) describeJob(r *repository, run *Run, j Job) object {
	steps, last, start := []object{}, 60, At.Add(run.Began)
	for i, s := range j.Steps {
		last = max(last, s.To)
		steps = append(steps, object{"name": s.Name, "number": i + 1, "status": "completed",
			"conclusion": cmp.Or(s.Conclusion, "success"), "started_at": start.Add(time.Duration(s.From) * time.Second),
			"completed_at": start.Add(time.Duration(s.To) * time.Second)})
	}
	return object{
		"id": j.ID, "run_id": run.ID, "run_attempt": j.Attempt, "name": j.Name, "status": j.Status,
		"conclusion": orNull(j.Conclusion), "head_sha": run.HeadSHA, "head_branch": run.HeadBranch, "steps": steps,
		"labels": append([]string{}, j.Labels...), "workflow_name": "CI",
		"check_run_url": g.address("/repos/%s/check-runs/%d", r.name, j.ID),
		"html_url":      g.address("/%s/actions/runs/%d/job/%d", r.name, run.ID, j.ID),
		"started_at":    start, "created_at": start, "completed_at": start.Add(time.Duration(last) * time.Second),
	}
}

func (c *call) artifacts(r *repository) {
	c.onRun(r, func(run *Run) {
		list := []object{}
		for _, a := range page(c, run.Artifacts) {
			list = append(list, object{"id": a.ID, "name": a.Name, "size_in_bytes": len(a.Zip), "expired": a.Expired,
				"created_at": "2026-03-01T12:00:00Z"})
		}
		c.say(http.StatusOK, object{"total_count": len(run.Artifacts), "artifacts": list})
	})
}

func (c *call) download(r *repository) {
	for _, run := range r.runs {
		for _, a := range run.Artifacts {
			switch {
			case a.ID != c.number("id"):
			case a.Expired:
				c.refuse(http.StatusGone, "Artifact has expired")
				return
			default:
				c.answer = answer{status: http.StatusFound,
					header: http.Header{"Location": {fmt.Sprintf("%s/%s/%d.zip?sig=signed", c.g.storage.URL, r.name, a.ID)}}}
				return
			}
		}
	}
	c.notFound()
}

// stored serves artifacts. Its host is not the host of the API.
func (g *GitHub) stored(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "" {
		g.t.Errorf("the token was shown to %s", r.Host)
	}
	g.lock.Lock()
	defer g.lock.Unlock()
	for name, repo := range g.repos {
		for _, run := range repo.runs {
			if text, ok := run.log(name, r.URL.Path); ok {
				_, _ = io.WriteString(w, text) // fails only if the client is gone
				return
			}
			for _, a := range run.Artifacts {
				if r.URL.Path == fmt.Sprintf("/%s/%d.zip", name, a.ID) {
					w.Header().Set("Content-Type", "application/zip")
					_, _ = w.Write(a.Zip) // fails only if the client is gone
					return
				}
			}
		}
	}
	w.WriteHeader(http.StatusNotFound)
}
