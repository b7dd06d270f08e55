package deliveries

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/blq-ci/blq/action/comment"
	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// reportBody is the body of a job that reports on a commit: on its pull request, and in a check run.
type reportBody struct {
	place
	PR  int    `json:"pr,omitempty"`
	SHA string `json:"sha,omitempty"` // without a pull request
}

// gathering is how long a report waits for more jobs to end.
const gathering = 3 * time.Second

// reportWork returns the job that reports on what a workflow run is about. There is one for each pull request, so that
// its comment has one writer.
func (d *Deliveries) reportWork(p place, repo string, a about) ([]store.Work, error) {
	body, key := reportBody{place: p, PR: a.PR}, fmt.Sprintf("%s#%d", p, a.PR)
	if a.PR == 0 {
		if a.Fork || a.Commit == "" {
			return nil, nil // a pull request that is closed, or has a newer commit
		}
		body.SHA, key = a.Commit, fmt.Sprintf("%s@%s", p, a.Commit)
	}
	w, err := work(kindReport, key, repo, body)
	w.Wakes, w.DueAt = true, d.Now().Add(gathering)
	return []store.Work{w}, err
}

// subject is what a report is about, and who asks.
type subject struct {
	known  store.EnrolledRepo
	client *github.Client
	asker  *query.Asker
	pr     int
	open   bool // the pull request is
	sha    string
	branch string // without a pull request
	runs   []store.Run
}

// report reports on a commit.
func (d *Deliveries) report(ctx context.Context, _ store.Work, body reportBody) ([]store.Work, error) {
	if d.Ask == nil {
		return nil, nil
	}
	known, client, err := d.reach(ctx, body.place)
	if err != nil || client == nil {
		return nil, err
	}
	s := &subject{known: known, client: client, asker: d.Ask(known.Name), pr: body.PR, sha: body.SHA}
	if s.pr > 0 {
		p, err := client.Pull(ctx, known.Name, s.pr)
		if store.CodeOf(err) == store.NotFound {
			return nil, nil // it has vanished
		}
		if err != nil {
			return nil, d.doubt(known, err)
		}
		s.sha, s.open = p.HeadSHA, p.State == "open"
	}
	s.runs, err = d.Store.Runs(ctx, store.Repos(known.Name), store.RunFilter{Repo: known.Name, PR: s.pr,
		Commits: []string{s.sha}, Limit: maxReported})
	if err != nil || len(s.runs) == 0 {
		return nil, err
	}
	return d.tell(ctx, s)
}

// maxReported is the max number of runs that a report looks at, and maxRuns that of workflow runs.
const (
	maxReported = 2000
	maxRuns     = 10
)

// tell writes the comment and the check run, and returns the notifications that follow.
func (d *Deliveries) tell(ctx context.Context, s *subject) ([]store.Work, error) {
	jobs, err := d.jobsOf(ctx, s)
	if err != nil {
		return nil, d.doubt(s.known, err)
	}
	own := s.pr == 0 && slices.ContainsFunc(s.runs, func(r store.Run) bool { return r.CI != nil && r.CI.PR > 0 })
	if s.pr == 0 {
		s.branch = s.runs[len(s.runs)-1].Git.Branch
	}
	p, err := markdown.WritePull(ctx, s.asker, d.Line, markdown.PullParams{Repo: s.known.Name, PR: s.pr, Commit: s.sha,
		Branch: s.branch, MaxBytes: maxComment, Jobs: jobs})
	if store.CodeOf(err) == store.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	err = d.comment(ctx, s, p)
	if !own { // the report on the pull request makes the check run
		err = errors.Join(err, d.check(ctx, s, p))
	}
	if err != nil {
		return nil, d.doubt(s.known, err)
	}
	return d.news(ctx, s)
}

// jobsOf returns the jobs of the workflow runs of a commit, as GitHub lists them.
func (d *Deliveries) jobsOf(ctx context.Context, s *subject) ([]markdown.Job, error) {
	var ids []string
	for _, r := range s.runs {
		if r.CI != nil && r.CI.RunID != "" && !slices.Contains(ids, r.CI.RunID) && len(ids) < maxRuns {
			ids = append(ids, r.CI.RunID)
		}
	}
	var list []markdown.Job
	for _, text := range ids {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			continue // it is not GitHub's
		}
		jobs, err := s.client.Jobs(ctx, s.known.Name, id)
		if err != nil && store.CodeOf(err) != store.NotFound {
			return nil, err
		}
		newest := map[string]int{}
		for _, j := range jobs {
			newest[j.Name] = max(newest[j.Name], j.Attempt)
		}
		for _, j := range jobs {
			list = append(list, markdown.Job{ID: strconv.FormatInt(j.CheckRunID, 10), Name: j.Name, URL: j.URL,
				Attempt: j.Attempt, Conclusion: j.Conclusion,
				Failed: markdown.FailedConclusion(j.Conclusion) && j.Attempt == newest[j.Name]})
		}
	}
	return list, nil
}

// maxComment is below GitHub's limit, because GitHub counts characters differently.
const maxComment = 60_000

// actionsBot writes what jobs write with their own tokens.
const actionsBot = "github-actions[bot]"

// forge is GitHub for the keeper of a comment. An installation cannot ask who it is.
type forge struct{ *github.Client }

// Login implements comment.Forge.
func (forge) Login(context.Context) (string, error) {
	return "", store.Errorf(store.Forbidden, "an installation has no login")
}

// comment keeps the comment on the pull request, unless a job keeps one there.
func (d *Deliveries) comment(ctx context.Context, s *subject, p markdown.Pull) error {
	if s.pr == 0 || !s.open {
		return nil
	}
	all, err := s.client.Comments(ctx, s.known.Name, s.pr)
	if err == nil && slices.ContainsFunc(all, func(c github.Comment) bool {
		return c.Author == actionsBot && strings.HasPrefix(c.Body, comment.Mark)
	}) {
		return nil
	}
	outcome := comment.Outcome("")
	if err == nil {
		outcome, _, err = comment.Keep(ctx, forge{s.client}, comment.Note{Repo: s.known.Name, PR: s.pr, Topic: "service",
			Commit: s.sha, Body: p.Markdown, Order: comment.Order{Seen: p.Seen, At: d.Now()},
			Quiet: p.Counts.Failed == 0 && p.Passed})
	}
	if code := store.CodeOf(err); code == store.NotFound || code == store.Forbidden && strings.Contains(err.Error(),
		"locked") {
		d.Log.WarnContext(ctx, "no comment", "repo", s.known.Name, "pull", s.pr, "error", err)
		return nil // it is gone, or nobody may comment on it
	}
	if err == nil {
		d.Log.InfoContext(ctx, "comment", "repo", s.known.Name, "pull", s.pr, "outcome", string(outcome))
	}
	return err
}
