package deliveries

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/github/event"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// reportBody is the body of a job that reports on a commit, in a comment on its pull request and in a check run.
type reportBody struct {
	place
	PR  int    `json:"pr,omitempty"`
	SHA string `json:"sha,omitempty"` // only without a pull request
}

// gathering is how long a report waits for the end of more jobs.
const gathering = 3 * time.Second

// reportWork returns the job that reports on the pull request or commit of a workflow run. Each pull request has one
// such job, so its comment has only one writer.
func (d *Deliveries) reportWork(p place, repo string, a about) ([]store.Work, error) {
	body, key := reportBody{place: p, PR: a.PR}, fmt.Sprintf("%s#%d", p, a.PR)
	if a.PR == 0 {
		if a.Fork || a.Commit == "" {
			return nil, nil // the pull request is closed or has a newer commit
		}
		body.SHA, key = a.Commit, fmt.Sprintf("%s@%s", p, a.Commit)
	}
	w, err := work(kindReport, key, repo, body)
	w.Wakes, w.DueAt = true, d.Now().Add(gathering)
	return []store.Work{w}, err
}

// reportPull returns the job that immediately reports on a pull request.
func (d *Deliveries) reportPull(known store.EnrolledRepo, pr int) (store.Work, error) {
	list, err := d.reportWork(place{Host: known.Host, RepoID: known.ID}, known.Name, about{Facts: event.Facts{PR: pr}})
	if err != nil {
		return store.Work{}, err
	}
	list[0].DueAt = d.Now()
	return list[0], nil
}

// subject is the commit or pull request of a report, with a client and an asker for the repository.
type subject struct {
	known  store.EnrolledRepo
	client *github.Client
	asker  *query.Asker
	pr     int
	open   bool // the pull request is open
	sha    string
	branch string // only without a pull request
	runs   []store.Run
	notes  []store.Note // notes on the pull request, oldest first
}

// report reports on a commit, and records the state of the notes on its pull request.
func (d *Deliveries) report(ctx context.Context, _ store.Work, body reportBody) (then []store.Work, err error) {
	if d.Ask == nil {
		return nil, nil
	}
	known, client, err := d.reach(ctx, body.place)
	if known.Name == "" {
		return nil, err
	}
	s := &subject{known: known, client: client, asker: d.Ask(known.Name), pr: body.PR, sha: body.SHA}
	if d.Notes != nil && s.pr > 0 {
		list, failed := d.Notes.Notes(ctx, store.Repos(known.Name), known.Name, s.pr)
		if failed != nil {
			return nil, failed
		}
		s.notes = list
	}
	var posted store.Posting
	if err == nil {
		then, posted, err = d.reportOn(ctx, s)
	}
	return then, d.settle(ctx, s.notes, posted, err)
}

// reportOn reports on a commit. It returns the state of the comment.
func (d *Deliveries) reportOn(ctx context.Context, s *subject) ([]store.Work, store.Posting, error) {
	none := store.Posting{State: store.PostGone}
	if s.pr > 0 {
		p, err := s.client.Pull(ctx, s.known.Name, s.pr)
		if store.CodeOf(err) == store.NotFound {
			return nil, none, nil // the pull request has vanished
		}
		if err != nil {
			return nil, none, d.doubt(s.known, err)
		}
		s.sha, s.open = p.HeadSHA, p.State == "open"
	}
	var err error
	s.runs, err = d.runsOf(ctx, s.known.Name, s.pr, s.sha)
	if err != nil || len(s.runs)+len(s.notes) == 0 {
		return nil, none, err
	}
	return d.tell(ctx, s)
}

// runsOf returns the runs of a commit, newest first. With a pull request, it returns only the runs of the pull
// request.
func (d *Deliveries) runsOf(ctx context.Context, repo string, pr int, sha string) ([]store.Run, error) {
	if sha == "" {
		return nil, nil
	}
	return d.Store.Runs(ctx, store.Repos(repo), store.RunFilter{Repo: repo, PR: pr, Commits: []string{sha},
		Limit: maxReported})
}

// maxReported is the max number of runs in a report, and maxRuns the max number of workflow runs.
const (
	maxReported = 2000
	maxRuns     = 10
)

// tell writes the comment and the check run, and returns the resulting notifications.
func (d *Deliveries) tell(ctx context.Context, s *subject) ([]store.Work, store.Posting, error) {
	var posted store.Posting
	jobs, err := d.jobsOf(ctx, s)
	if err != nil {
		return nil, posted, d.doubt(s.known, err)
	}
	own := s.pr == 0 && slices.ContainsFunc(s.runs, func(r store.Run) bool { return r.CI != nil && r.CI.PR > 0 })
	if s.pr == 0 {
		s.branch = s.runs[len(s.runs)-1].Git.Branch
	}
	p, err := d.write(ctx, s, jobs)
	if store.CodeOf(err) == store.NotFound {
		return nil, store.Posting{State: store.PostGone}, nil
	}
	if err != nil {
		return nil, posted, err
	}
	posted, err = d.comment(ctx, s, p)
	if !own && len(s.runs) > 0 { // the report on the pull request creates the check run
		err = errors.Join(err, d.check(ctx, s, p))
	}
	if err != nil {
		return nil, posted, d.doubt(s.known, err)
	}
	list, err := d.news(ctx, s)
	return list, posted, err
}

// write writes the report on a commit, with the notes on its pull request.
func (d *Deliveries) write(ctx context.Context, s *subject, jobs []markdown.Job) (markdown.Pull, error) {
	format, room := markdown.PRComment, maxComment
	if len(s.notes) > 0 {
		format, room = markdown.Format(s.notes[len(s.notes)-1].Format), maxComment-maxNotes
	}
	p := markdown.Pull{Markdown: "### No runs of this commit are known yet\n"}
	var err error
	if len(s.runs) > 0 {
		p, err = markdown.WritePullAs(ctx, s.asker, d.Line, format, markdown.PullParams{Repo: s.known.Name, PR: s.pr,
			Commit: s.sha, Branch: s.branch, MaxBytes: room, Jobs: jobs})
	}
	if len(s.notes) > 0 {
		p.Markdown = markdown.WithNotes(p.Markdown, s.notes, s.sha)
	}
	return p, err
}

// jobsOf returns the jobs of a commit's workflow runs, as GitHub lists them.
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
			continue // another CI system sent the run
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
