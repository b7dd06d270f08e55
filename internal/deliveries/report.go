package deliveries

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/github/event"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// reportBody is the body of a job that writes the comment on a pull request and the check run of a commit, or only the
// check run.
type reportBody struct {
	place
	PR  int    `json:"pr,omitempty"`
	SHA string `json:"sha,omitempty"` // only without a pull request
}

// key returns a text that identifies the pull request or the commit.
func (b reportBody) key() string {
	if b.PR == 0 {
		return fmt.Sprintf("%s@%s", b.place, b.SHA)
	}
	return fmt.Sprintf("%s#%d", b.place, b.PR)
}

// gathering is the time that a report on a workflow run waits. So the report includes further jobs that end in this
// time.
const gathering = 3 * time.Second

// reportWork returns the job that reports on the pull request or commit of a workflow run. Each pull request has one
// such job, so its comment has only one writer.
func (d *Deliveries) reportWork(p place, repo string, a about) ([]store.Work, error) {
	body := reportBody{place: p, PR: a.PR}
	if a.PR == 0 {
		if a.Fork || a.Commit == "" {
			return nil, nil // the pull request from the fork is closed or has a newer commit
		}
		body.SHA = a.Commit
	}
	w, err := work(kindReport, body.key(), repo, body)
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
	branch string // branch of the runs, "" for several; with a pull request its branch, "" for a branch of a fork
	runs   []store.Run
	notes  []store.Note // notes on the pull request, oldest first
}

// report reports on a commit, and records the state of the notes on its pull request.
func (d *Deliveries) report(ctx context.Context, _ store.Work, body reportBody) (then []store.Work, err error) {
	s, err := d.subject(ctx, body)
	if s == nil {
		return nil, err
	}
	var posted store.Posting
	if err == nil {
		then, posted, err = d.reportOn(ctx, s)
	}
	return then, d.settle(ctx, s.notes, posted, err)
}

// subject returns the subject of a report. It returns nil if there is nothing to report on. If a request to GitHub
// fails, it returns the error together with the subject.
func (d *Deliveries) subject(ctx context.Context, body reportBody) (*subject, error) {
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
	return s, err
}

// reportOn writes the comment and the check run. It returns the state of the comment, and the jobs that follow: one for
// each notification, and one that writes the check run later if GitHub has refused it.
func (d *Deliveries) reportOn(ctx context.Context, s *subject) (then []store.Work, posted store.Posting, err error) {
	p, err := d.draft(ctx, s)
	if store.CodeOf(err) == store.NotFound {
		return nil, store.Posting{State: store.PostGone}, nil
	}
	if err != nil {
		return nil, posted, err
	}
	if then, err = d.reportOthers(s); err != nil {
		return nil, posted, err
	}
	posted, err = d.comment(ctx, s, p)
	unchecked := d.check(ctx, s, p)
	if err != nil {
		return nil, posted, d.queueError(s.known, errors.Join(err, unchecked))
	}
	if unchecked != nil {
		later, err := d.checkLater(ctx, s, d.queueError(s.known, unchecked))
		if err != nil {
			return nil, posted, err
		}
		then = append(then, later...)
	}
	list, err := d.news(ctx, s)
	return append(then, list...), posted, err
}

// maxPulls is the max number of pull requests with one commit that are reported on again.
const maxPulls = 10

// reportOthers returns the jobs that report on the pull requests of a commit. Their reports include the runs of pushes.
func (d *Deliveries) reportOthers(s *subject) (then []store.Work, err error) {
	seen := map[int]bool{}
	for _, r := range s.runs {
		if s.pr > 0 || r.CI == nil || r.CI.PR == 0 || seen[r.CI.PR] || len(seen) == maxPulls {
			continue
		}
		seen[r.CI.PR] = true
		w, err := d.reportPull(s.known, r.CI.PR)
		if err != nil {
			return nil, err
		}
		then = append(then, w)
	}
	return then, nil
}

// checkLater returns the job that tries again to write the check run of a commit, after an error. Notifications and the
// state of notes do not wait for the check run, because it is written in a job of its own.
func (d *Deliveries) checkLater(ctx context.Context, s *subject, failed error) ([]store.Work, error) {
	body := reportBody{place: place{Host: s.known.Host, RepoID: s.known.ID}, PR: s.pr}
	if s.pr == 0 {
		body.SHA = s.sha
	}
	after, _ := store.RetryAfter(failed)
	d.Log.WarnContext(ctx, "no check run", "repo", s.known.Name, "commit", s.sha, "error", failed)
	w, err := work(kindCheck, body.key(), s.known.Name, body)
	w.Wakes, w.DueAt = true, d.Now().Add(after)
	return []store.Work{w}, err
}

// checked writes the check run of a commit.
func (d *Deliveries) checked(ctx context.Context, _ store.Work, body reportBody) ([]store.Work, error) {
	s, err := d.subject(ctx, body)
	if s == nil || err != nil {
		return nil, err
	}
	p, err := d.draft(ctx, s)
	if store.CodeOf(err) == store.NotFound {
		return nil, nil
	}
	if err == nil {
		err = d.queueError(s.known, d.check(ctx, s, p))
	}
	return nil, err
}

// draft completes the facts of a subject, and writes the report. The error is NotFound if there is nothing to report
// on.
func (d *Deliveries) draft(ctx context.Context, s *subject) (p markdown.Pull, err error) {
	if s.pr > 0 {
		of, err := s.client.Pull(ctx, s.known.Name, s.pr)
		if err != nil {
			return p, d.queueError(s.known, err) // NotFound if the pull request has vanished
		}
		s.sha, s.open = of.HeadSHA, of.State == "open"
		if !of.Fork {
			s.branch = of.HeadRef
		}
	}
	s.runs, err = d.runsOf(ctx, s.known.Name, s.pr, s.sha, s.branch)
	if err != nil {
		return p, err
	}
	if len(s.runs)+len(s.notes) == 0 {
		return p, store.Errorf(store.NotFound, "there are no runs of %s", s.sha)
	}
	if s.pr == 0 {
		s.branch = branchOf(s.runs)
	}
	jobs, unread, err := s.jobs(ctx)
	if err != nil {
		return p, d.queueError(s.known, err)
	}
	return d.write(ctx, s, jobs, unread)
}

// branchOf returns the branch of GitHub's runs at a commit, or "" if the runs are of several branches, such as those of
// a topic branch and of the branch to which it was moved. Runs of pull requests and of other machines do not matter.
func branchOf(runs []store.Run) string {
	branch, found := "", false
	for _, r := range runs {
		if !isPushed(r) {
			continue
		}
		if found && r.Git.Branch != branch {
			return ""
		}
		branch, found = r.Git.Branch, true
	}
	return branch
}

// isPushed reports whether a run belongs to GitHub's run of a branch, and not of a pull request.
func isPushed(r store.Run) bool { return r.CI != nil && r.CI.Provider == "github" && r.CI.PR == 0 }

// runsOf returns the runs of a commit, newest first. With a pull request, it returns only the runs of the pull request,
// and after them those of pushes to its branch.
func (d *Deliveries) runsOf(ctx context.Context, repo string, pr int, sha, branch string) ([]store.Run, error) {
	if sha == "" {
		return nil, nil
	}
	f := store.RunFilter{Repo: repo, PR: pr, Commits: []string{sha}, Limit: maxReported}
	list, err := d.Store.Runs(ctx, store.Repos(repo), f)
	if err != nil || pr == 0 || branch == "" {
		return list, err
	}
	f.PR, f.Branch = 0, branch
	pushed, err := d.Store.Runs(ctx, store.Repos(repo), f)
	return append(list, slices.DeleteFunc(pushed, func(r store.Run) bool { return !isPushed(r) })...), err
}

// maxReported is the max number of runs in a report.
const maxReported = 2000

// write writes the report on a commit, with the notes on its pull request. unread is the number of workflow runs whose
// jobs are unknown.
func (d *Deliveries) write(ctx context.Context, s *subject, jobs []markdown.Job, unread int) (markdown.Pull, error) {
	format, room := markdown.PRComment, maxComment
	if len(s.notes) > 0 {
		format, room = markdown.Format(s.notes[len(s.notes)-1].Format), maxComment-maxNotes
	}
	p := markdown.Pull{Markdown: "### No runs of this commit are known yet\n"}
	var err error
	if len(s.runs) > 0 {
		p, err = markdown.WritePullAs(ctx, s.asker, d.Line, format, markdown.PullParams{Repo: s.known.Name, PR: s.pr,
			Commit: s.sha, Branch: s.branch, MaxBytes: room, Jobs: jobs, Unread: unread})
	}
	if len(s.notes) > 0 {
		p.Markdown = markdown.WithNotes(p.Markdown, s.notes, s.sha)
	}
	return p, err
}
