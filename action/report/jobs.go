package report

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/blq-ci/blq/action/comment"
	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/markdown"
)

// addOwn adds the status of the reporting job if an earlier step of the job failed, or if the job was cancelled. GitHub
// has no conclusion for this job yet. In any other case the job counts as unfinished, because its later steps may
// fail.
func (r *reporter) addOwn(params *markdown.PullParams) {
	status := r.in.JobStatus
	if r.subject.follows || !badEnd(status) {
		return
	}
	if at := slices.IndexFunc(params.Jobs, func(j markdown.Job) bool { return j.Own }); at >= 0 {
		params.Jobs[at].Conclusion = status
		return
	}
	name := cmp.Or(r.Getenv("GITHUB_JOB"), "the reporting job")
	if len(params.Jobs) > 0 {
		params.Jobs = append(params.Jobs, markdown.Job{Name: name, Conclusion: status, Own: true})
		return
	}
	params.Needs = maps.Clone(params.Needs)
	if params.Needs == nil {
		params.Needs = map[string]string{}
	}
	params.Needs[name] = status
}

// badEnd reports whether a job with this conclusion failed or was cancelled.
func badEnd(conclusion string) bool {
	return conclusion == "cancelled" || markdown.FailedConclusion(conclusion)
}

// maxOthers is the max number of other workflow runs whose jobs are read.
const maxOthers = 10

// addOthers adds the ended jobs of the commit's other workflow runs that the pull request comment names. In these
// workflow runs, jobs failed although blq saw no failed step. Without these jobs, the report would hide the failures.
func (r *reporter) addOthers(ctx context.Context, params *markdown.PullParams) {
	r.seen, r.failed = []int64{r.subject.run}, nil
	if slices.ContainsFunc(params.Jobs, func(j markdown.Job) bool { return badEnd(j.Conclusion) }) ||
		slices.ContainsFunc(slices.Collect(maps.Values(params.Needs)), badEnd) {
		r.failed = append(r.failed, r.subject.run)
	}
	if r.github == nil || r.subject.comments == 0 || r.in.Comment == commentNever {
		return
	}
	n := comment.Note{Repo: r.subject.repo, PR: r.subject.comments, Commit: r.subject.commit}
	named, err := comment.Failed(ctx, r.github, n)
	if err != nil {
		return // reading the comment failed, so writing it would fail, too
	}
	for _, id := range named[:min(len(named), maxOthers)] {
		if id != r.subject.run {
			r.addJobsOf(ctx, id, params)
		}
	}
	slices.Sort(r.failed)
}

// addJobsOf adds the jobs of another workflow run that have ended.
func (r *reporter) addJobsOf(ctx context.Context, run int64, params *markdown.PullParams) {
	r.seen = append(r.seen, run)
	ctx, cancel := part(ctx, 4)
	defer cancel()
	all, err := r.github.Jobs(ctx, r.subject.repo, run)
	if err != nil || len(params.Jobs) == 0 {
		r.failed = append(r.failed, run)
		params.Unread++
		return
	}
	failed := false
	for i, j := range jobsIn(all) {
		if j.Conclusion == "" {
			continue
		}
		j.Other, j.Name = true, otherName(all[i])
		failed = failed || j.Failed || j.Conclusion == "cancelled"
		params.Jobs = append(params.Jobs, j)
	}
	if failed {
		r.failed = append(r.failed, run)
	}
}

// otherName returns the name of a job with its workflow. Workflows may have jobs with the same name.
func otherName(j github.Job) string {
	return cmp.Or(j.Workflow, fmt.Sprintf("workflow run %d", j.RunID)) + " / " + j.Name
}
