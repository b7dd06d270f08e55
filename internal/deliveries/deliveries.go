// Package deliveries processes the webhook deliveries of the service's GitHub App. It enrols the repositories of
// installations, fetches the logs of completed CI jobs, stores these logs as runs, and reports on the runs. Each piece
// of work is a job of a queue and may be repeated. The package may import the packages with which the service stores
// runs, internal/githubapp, internal/queue and action/comment.
package deliveries

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/github/payload"
	"github.com/blq-ci/blq/internal/githubapp"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/internal/queue"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

// Store is the part of the store that this package uses for runs.
type Store interface {
	store.Recorder
	store.RunReader
}

// Config has the dependencies and limits of Deliveries.
type Config struct {
	Store     Store
	Blobs     chunk.Putter
	Directory store.Enrolment
	Notes     store.Notes // notes on pull requests; nil for none
	Remover   store.Remover
	// Posted is called with the state of a report with notes. It may be nil.
	Posted func(store.PostState)
	// Take completes the runs of jobs that ended, and renames repositories.
	Take func(context.Context, payload.Delivery) error
	// Claim reserves quota for data that is about to be stored. The reservation ends when the returned function is
	// called. Nil means no quotas.
	Claim func(ctx context.Context, repo string, c store.Claim) (done func(), err error)
	// Turn waits until a queue job may process a log, which needs a lot of CPU time. The job calls leave when it has
	// processed the log. Nil means no waiting.
	Turn func(ctx context.Context) (leave func(), err error)
	App  *githubapp.App // nil for none; then only Take is called
	// Ask returns an asker that sees only one repository. Nil means no reports.
	Ask    func(repo string) *query.Asker
	Line   markdown.Line
	Checks Checks
	Notify Notify
	// MaxEvents is the max number of events of a step; 0 means 100,000. The run records the number of further events.
	MaxEvents int
	// MaxLog is the max number of bytes that are read of a job's log; 0 means 512 MiB. Only the beginning of a longer
	// log is read.
	MaxLog int64
	Log    *slog.Logger // nil for none
	Now    func() time.Time
}

// Deliveries processes webhook deliveries.
type Deliveries struct {
	Config
	runs    *lru.Cache[execution, about] // descriptions of workflow runs
	commits commits                      // cached files of commits
}

// New returns Deliveries. Zero fields of the configuration get their defaults.
func New(c Config) *Deliveries {
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	c.MaxEvents, c.MaxLog = cmp.Or(c.MaxEvents, 100_000), cmp.Or(c.MaxLog, 512<<20)
	if c.Claim == nil {
		c.Claim = func(context.Context, string, store.Claim) (func(), error) { return func() {}, nil }
	}
	if c.Turn == nil {
		c.Turn = func(context.Context) (func(), error) { return func() {}, nil }
	}
	if c.Posted == nil {
		c.Posted = func(store.PostState) {}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	runs, err := lru.New[execution, about](maxAbout)
	if err != nil {
		panic(err) // only for a size below 1
	}
	return &Deliveries{Config: c, runs: runs}
}

// These are the kinds of jobs in the queue.
const (
	kindDelivery = "delivery" // a webhook delivery
	kindEnrol    = "enrol"    // enrolment of an installation's repository
	kindRun      = "run"      // all jobs of a completed workflow run
	kindLog      = "log"      // the log of a job
	kindReport   = "report"   // the comment and check run of a commit
	kindCheck    = "check"    // the check run of a commit, if the report could not write it
	kindNotify   = "notify"   // a new failure on a default branch
	kindDouble   = "double"   // a run that arrived after its log had been fetched
)

// Handlers returns the handler for each kind of job.
func (d *Deliveries) Handlers() map[string]queue.Handler {
	return map[string]queue.Handler{
		kindDelivery: decoded(d.delivered),
		kindEnrol:    decoded(d.enrol),
		kindRun:      decoded(d.run),
		kindLog:      decoded(d.log),
		kindReport:   decoded(d.report),
		kindCheck:    decoded(d.checked),
		kindNotify:   decoded(d.notify),
		kindDouble:   decoded(d.double),
	}
}

// decoded returns a handler that decodes the body of a job.
func decoded[T any](do func(ctx context.Context, w store.Work, body T) ([]store.Work, error)) queue.Handler {
	return func(ctx context.Context, w store.Work) ([]store.Work, error) {
		var body T
		if err := json.Unmarshal(w.Body, &body); err != nil {
			return nil, store.Errorf(store.Invalid, "the body of the job cannot be read: %w", err)
		}
		return do(ctx, w, body)
	}
}

// work returns a job with a body.
func work(kind, key, repo string, body any) (store.Work, error) {
	text, err := json.Marshal(body)
	return store.Work{Kind: kind, Key: kind + ":" + key, Repo: repo, Body: text}, err
}

// Queued returns the job that processes a delivery.
func Queued(d payload.Delivery) (store.Work, error) {
	repo := d.Payload.Repository.FullName
	if in := d.Payload.Installation; repo == "" && in != nil && in.Account.Login != "" {
		repo = in.Account.Login + "/"
	}
	return work(kindDelivery, d.ID, repo, d)
}

// place is a repository and its installation.
type place struct {
	Host         string `json:"host"`
	RepoID       int64  `json:"repo_id"`
	Installation int64  `json:"installation,omitempty"` // 0 if unknown
}

func (p place) String() string { return fmt.Sprintf("%s/%d", p.Host, p.RepoID) }

func placeOf(d payload.Delivery) place {
	p := place{Host: d.Host, RepoID: d.Payload.Repository.ID}
	if d.Payload.Installation != nil {
		p.Installation = d.Payload.Installation.ID
	}
	return p
}

// delivered processes a delivery.
func (d *Deliveries) delivered(ctx context.Context, _ store.Work, del payload.Delivery) ([]store.Work, error) {
	if err := d.Take(ctx, del); err != nil {
		return nil, err
	}
	if d.App == nil || del.Host != d.App.Host() {
		return nil, nil
	}
	switch p := del.Payload; {
	case del.Event == "installation" || del.Event == "installation_repositories":
		return d.installed(ctx, del)
	case del.Event == "repository" && p.Action == "deleted":
		return nil, d.withdraw(ctx, del.Host, p.Repository)
	case del.Event == "workflow_job" && p.Action == "completed" && p.WorkflowJob != nil:
		return d.jobWork(placeOf(del), p.Repository.FullName, *p.WorkflowJob)
	case del.Event == "workflow_run" && p.Action == "completed" && p.WorkflowRun != nil:
		return d.runWork(placeOf(del), p.Repository.FullName, *p.WorkflowRun)
	}
	return nil, nil
}

// settling is the wait after the end of a CI job or a workflow run. During that time, runs of the job may still arrive,
// and GitHub makes the job's log available.
const settling = 5 * time.Second

// logWork is the body of a job that fetches a log.
type logWork struct {
	place
	Job payload.WorkflowJob `json:"job"`
}

// jobWork returns the queue job that fetches the log of a CI job. It returns none for a CI job that was skipped or
// has no steps.
func (d *Deliveries) jobWork(p place, repo string, job payload.WorkflowJob) ([]store.Work, error) {
	if len(job.Steps) == 0 || job.Conclusion == "skipped" {
		return nil, nil
	}
	w, err := work(kindLog, fmt.Sprintf("%s/%d", p, job.ID), repo, logWork{p, job})
	w.DueAt = d.Now().Add(settling)
	return []store.Work{w}, err
}

// runWork returns the job that finds all jobs of a workflow run.
func (d *Deliveries) runWork(p place, repo string, run payload.WorkflowRun) ([]store.Work, error) {
	w, err := work(kindRun, fmt.Sprintf("%s/%d.%d", p, run.ID, max(1, run.RunAttempt)), repo, runBody{p, run.ID,
		max(1, run.RunAttempt)})
	w.DueAt = d.Now().Add(settling)
	return []store.Work{w}, err
}

// runBody is the body of a job about a workflow run.
type runBody struct {
	place
	RunID   int64 `json:"run_id"`
	Attempt int   `json:"attempt"`
}

// run returns the queue jobs for an attempt of a workflow run: one for the log of each completed CI job, and one that
// reports on the attempt. The queue drops a job for a log if a delivery has already queued it.
func (d *Deliveries) run(ctx context.Context, _ store.Work, body runBody) ([]store.Work, error) {
	known, client, err := d.reach(ctx, body.place)
	if err != nil || client == nil {
		return nil, err
	}
	jobs, err := client.WorkflowJobs(ctx, known.Name, body.RunID)
	if err != nil {
		return nil, d.queueError(known, err)
	}
	var list []store.Work
	for _, j := range jobs {
		if j.Status == "completed" && j.RunAttempt == body.Attempt {
			some, err := d.jobWork(body.place, known.Name, j)
			if err != nil {
				return nil, err
			}
			list = append(list, some...)
		}
	}
	a, err := d.aboutRun(ctx, client, known.Name, execution{body.place, body.RunID, body.Attempt})
	if err != nil {
		return nil, d.queueError(known, err)
	}
	reports, err := d.reportWork(body.place, known.Name, a)
	return append(list, reports...), err
}

// reach returns an enrolled repository and a client for it. The client is nil if the repository is not enrolled any
// more, if there is no App, or if there is an error.
func (d *Deliveries) reach(ctx context.Context, p place) (store.EnrolledRepo, *github.Client, error) {
	if d.App == nil {
		return store.EnrolledRepo{}, nil, nil
	}
	known, err := d.Directory.EnrolledRepo(ctx, p.Host, p.RepoID)
	switch {
	case store.CodeOf(err) == store.NotFound:
		return known, nil, nil
	case err != nil:
		return known, nil, err
	}
	client, err := d.App.ForRepo(ctx, known.Name) // a delivery may name any installation
	if err != nil {
		return known, nil, d.queueError(known, err)
	}
	return known, client, nil
}

// queueError returns an error from GitHub unchanged, for the queue. If GitHub refuses the token, the token may have
// been revoked. So queueError makes the next try use a new token.
func (d *Deliveries) queueError(known store.EnrolledRepo, err error) error {
	if store.CodeOf(err) == store.Unauthorized {
		d.App.Forget(known.Name)
	}
	return err
}
