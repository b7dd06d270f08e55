package deliveries

import (
	"context"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/github/payload"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/store"
)

// These limit the requests of a report. maxRuns is the max number of workflow runs with stored runs whose jobs are
// read. maxFailed is the max number of further workflow runs that failed.
const (
	maxRuns   = 10
	maxFailed = 10
)

// jobs returns the jobs of the subject's workflow runs, as GitHub lists them. A workflow run may have failed although
// no run of it is stored, for example if its runner was lost or its file is invalid. unread is the number of workflow
// runs that may have failed and whose jobs were not read.
func (s *subject) jobs(ctx context.Context) (list []markdown.Job, unread int, err error) {
	var ids []int64
	for _, r := range s.runs {
		if r.CI == nil {
			continue
		}
		id, err := strconv.ParseInt(r.CI.RunID, 10, 64) // another CI system may have sent the run
		if err == nil && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	ended, err := s.client.RunsOfCommit(ctx, s.known.Name, s.sha)
	if err != nil && store.CodeOf(err) != store.NotFound {
		return nil, 0, err
	}
	failed := s.failed(ended)
	unread = max(0, len(failed)-maxFailed)
	known, passed := map[int64]bool{}, map[int64]bool{}
	for _, w := range ended {
		known[w.ID], passed[w.ID] = true, w.Status == "completed" && w.Conclusion == "success"
	}
	for _, id := range ids[min(len(ids), maxRuns):] {
		if !known[id] {
			unread++
		}
	}
	ids = ids[:min(len(ids), maxRuns)]
	for _, w := range failed[:min(len(failed), maxFailed)] {
		if !slices.Contains(ids, w.ID) {
			ids = append(ids, w.ID)
		}
	}
	for _, id := range ids {
		jobs, err := s.client.Jobs(ctx, s.known.Name, id)
		if err != nil && store.CodeOf(err) != store.NotFound {
			return nil, 0, err
		}
		if passed[id] {
			forgive(jobs)
		}
		list = append(list, jobsOf(jobs, failed, id)...)
	}
	return list, unread, nil
}

// failed returns the workflow runs that failed or were cancelled, newest first. Of the workflow runs of one workflow
// and event, only the newest that has ended and did something counts.
func (s *subject) failed(ended []payload.WorkflowRun) (list []payload.WorkflowRun) {
	type trigger struct{ path, event string }
	seen := map[trigger]bool{}
	sort.Slice(ended, func(i, k int) bool { return ended[i].ID > ended[k].ID })
	for _, w := range ended {
		of := trigger{w.Path, w.Event}
		if w.Status != "completed" || w.Conclusion == "skipped" || seen[of] || !s.isAbout(w) {
			continue
		}
		seen[of] = true
		if hasFailed(w.Conclusion) {
			list = append(list, w)
		}
	}
	return list
}

// isAbout reports whether the subject includes a workflow run. A report on a pull request is about the events of that
// pull request, and about the other events of its branch. Any other report is only about the other events. GitHub does
// not name pull requests of forks.
func (s *subject) isAbout(w payload.WorkflowRun) bool {
	if !strings.HasPrefix(w.Event, "pull_request") {
		if s.branch == "" {
			return s.pr == 0
		}
		return s.branch == w.HeadBranch
	}
	is := len(w.PullRequests) == 0
	for _, p := range w.PullRequests {
		is = is || p.Number == s.pr
	}
	return s.pr > 0 && is
}

func hasFailed(conclusion string) bool {
	return conclusion == "cancelled" || markdown.FailedConclusion(conclusion)
}

// forgive changes the conclusion of the failed jobs of a workflow run that succeeded. The workflow allows these jobs to
// fail: GitHub lists such a job as failed, but counts it as a success.
func forgive(jobs []github.Job) {
	for i := range jobs {
		if hasFailed(jobs[i].Conclusion) {
			jobs[i].Conclusion = "success"
		}
	}
}

// jobsOf returns GitHub's facts about the jobs of a workflow run. If it is one of the failed workflow runs, but none of
// its jobs failed, the list has the workflow run itself as a job.
func jobsOf(jobs []github.Job, failed []payload.WorkflowRun, run int64) (list []markdown.Job) {
	newest := map[string]int{}
	for _, j := range jobs {
		newest[j.Name] = max(newest[j.Name], j.Attempt)
	}
	explained := false
	for _, j := range jobs {
		isNewest := j.Attempt == newest[j.Name]
		explained = explained || isNewest && hasFailed(j.Conclusion)
		list = append(list, markdown.Job{ID: strconv.FormatInt(j.CheckRunID, 10), Name: j.Name, URL: j.URL,
			Attempt: j.Attempt, Conclusion: j.Conclusion, Failed: markdown.FailedConclusion(j.Conclusion) && isNewest})
	}
	for _, w := range failed {
		if w.ID == run && !explained {
			list = append(list, markdown.Job{Name: w.Name, URL: w.HTMLURL, Attempt: max(1, w.RunAttempt),
				Conclusion: w.Conclusion, Failed: markdown.FailedConclusion(w.Conclusion)})
		}
	}
	return list
}
