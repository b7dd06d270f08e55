package deliveries

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/blq-ci/blq/internal/github/event"
	"github.com/blq-ci/blq/internal/github/payload"
	"github.com/blq-ci/blq/internal/queue"
	"github.com/blq-ci/blq/store"
)

// A step has two runs if its job sends a run after the log of the job was fetched. The sent run has more facts, so
// the fetched run, the double, is removed.

// doubleBody is the body of a queue job that removes fetched runs. It names the attempt of a workflow run in which a CI
// job has sent its own runs.
type doubleBody struct {
	Repo string      `json:"repo"`
	Job  store.CIJob `json:"job"`
	PR   int         `json:"pr,omitempty"`
	SHA  string      `json:"sha,omitempty"`
}

// Ended is called for a run that a CI job has sent. If logs of that CI job were fetched, Ended queues a job that
// removes the doubles (the fetched runs of its steps).
func (d *Deliveries) Ended(ctx context.Context, q *queue.Queue, r store.Run) error {
	if d.App == nil || r.CI == nil || r.CI.RunID == "" || isFetched(r) {
		return nil
	}
	of := store.CIJob{RunID: r.CI.RunID, RunAttempt: max(1, r.CI.RunAttempt)}
	body := doubleBody{Repo: r.Repo, Job: of, PR: r.CI.PR, SHA: r.Git.Commit}
	of.CheckRunID, of.Step = r.CI.CheckRunID, stepMark
	fetched, err := d.Store.Runs(ctx, store.Repos(r.Repo), store.RunFilter{Repo: r.Repo, Job: of, Limit: 1,
		State: store.StateCompleted})
	if err != nil || len(fetched) == 0 {
		return err
	}
	w, err := work(kindDouble, r.Attempt, r.Repo, body)
	if err == nil {
		_, err = q.Put(ctx, w)
	}
	return err
}

// isFetched reports whether the log of a run was fetched.
func isFetched(r store.Run) bool { return r.CI != nil && strings.HasPrefix(r.CI.Step, stepMark) }

// double removes the doubles of an attempt, and updates the report. It may be repeated, because an earlier try may
// have ended before it queued the report.
func (d *Deliveries) double(ctx context.Context, _ store.Work, body doubleBody) ([]store.Work, error) {
	known, err := d.named(ctx, body.Repo)
	if store.CodeOf(err) == store.NotFound {
		return nil, nil // the repository was withdrawn in the meantime
	}
	if err != nil {
		return nil, err
	}
	if err := d.removeDoubles(ctx, body); err != nil {
		return nil, err
	}
	return d.reportWork(place{Host: known.Host, RepoID: known.ID}, known.Name,
		about{Facts: event.Facts{PR: body.PR, Commit: body.SHA}})
}

// removeDoubles removes the fetched runs of steps that were also sent.
func (d *Deliveries) removeDoubles(ctx context.Context, body doubleBody) error {
	fetched, sent, err := d.bothOf(ctx, body)
	if err != nil || len(sent) == 0 {
		return err
	}
	var doubles []string
	for _, f := range fetched {
		p := payload.Step{Name: f.Source, StartedAt: f.StartedAt, CompletedAt: f.FinishedAt}
		if sent.ofJob(f.CI, f.CI.Job).has(p) {
			doubles = append(doubles, f.Attempt)
		}
	}
	if len(doubles) == 0 {
		return nil
	}
	d.Log.InfoContext(ctx, "fetched runs are removed: their job has sent them", "repo", body.Repo, "runs", len(doubles))
	_, err = d.Remover.RemoveRuns(ctx, body.Repo, doubles)
	return err
}

// bothOf returns the completed runs of an attempt of a workflow run, separated into fetched and sent runs.
func (d *Deliveries) bothOf(ctx context.Context, body doubleBody) (fetched []store.Run, sent sentRuns, err error) {
	runs, err := d.Store.Runs(ctx, store.Repos(body.Repo), store.RunFilter{Repo: body.Repo, Limit: 10_000, Job: body.Job})
	for _, r := range runs {
		switch {
		case r.State != store.StateCompleted || r.CI == nil:
		case isFetched(r):
			fetched = append(fetched, r)
		default:
			sent = append(sent, r)
		}
	}
	return fetched, sent, err
}

// ofJob returns the runs that a job has sent. The given name is the name that GitHub shows for the job. If a run has
// no check run ID, its job name and matrix leg have to match.
func (s sentRuns) ofJob(of *store.CI, name string) (list sentRuns) {
	for _, r := range s {
		is := r.CI.CheckRunID == of.CheckRunID
		if r.CI.CheckRunID == "" && r.CI.Job != "" {
			is = (r.CI.Job == of.Job || r.CI.Job == name || strings.HasPrefix(name, r.CI.Job+" (")) &&
				slices.Equal(legValues(r.CI.Matrix), legValues(of.Matrix))
		}
		if is {
			list = append(list, r)
		}
	}
	return list
}

// legValues returns the sorted values of a matrix leg as texts. It ignores the keys, because not every source of a
// leg has them.
func legValues(matrix string) (list []string) {
	in := json.NewDecoder(strings.NewReader(matrix))
	in.UseNumber()
	var values map[string]any
	if in.Decode(&values) != nil {
		return nil
	}
	for _, v := range values {
		list = append(list, fmt.Sprint(v))
	}
	sort.Strings(list)
	return list
}
