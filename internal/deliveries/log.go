package deliveries

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/github/payload"
	"github.com/blq-ci/blq/internal/joblog"
	"github.com/blq-ci/blq/internal/unnamed"
	"github.com/blq-ci/blq/store"
)

// longer is the message for a log that exceeds Config.MaxLog.
const longer = "the log of the job is longer than what is read of it"

// patience is the max time that GitHub may take to provide the log of a job after the job's end.
const patience = 10 * time.Minute

// log fetches the log of a job, and stores its steps as runs.
func (d *Deliveries) log(ctx context.Context, _ store.Work, body logWork) ([]store.Work, error) {
	known, client, err := d.reach(ctx, body.place)
	if err != nil || client == nil {
		return nil, err
	}
	job := body.Job
	a, err := d.aboutRun(ctx, client, known.Name, execution{body.place, job.RunID, max(1, job.RunAttempt)})
	if err != nil {
		return nil, d.queueError(known, err)
	}
	turn := &shift{ctx: ctx, enter: d.Turn}
	i, err := d.importer(turn, client, known, body, a)
	if err != nil {
		return nil, d.queueError(known, err)
	}
	sent, err := d.sent(ctx, i.facts, job)
	if err != nil {
		return nil, err
	}
	f, err := unnamed.Create("", "blqd-log-") // a file without a name, because the log may have secrets
	if err != nil {
		return nil, err
	}
	defer unnamed.Discard(f)
	err = client.JobLog(ctx, known.Name, job.ID, f, d.MaxLog)
	switch {
	case store.CodeOf(err) == store.TooLarge:
		i.lost = longer
	case store.CodeOf(err) == store.NotFound && d.Now().Sub(job.CompletedAt) < patience:
		return nil, store.Later(err, 15*time.Second) // GitHub may not have stored the log yet
	case store.CodeOf(err) == store.NotFound:
		if err := d.archived(ctx, client, known, i, f, sent, err); err != nil {
			return nil, err
		}
		return d.fetched(ctx, body, known.Name, a)
	case err != nil:
		return nil, d.queueError(known, err)
	}
	if err := i.whole(ctx, f, sent); err != nil {
		return nil, err
	}
	return d.fetched(ctx, body, known.Name, a)
}

// whole stores the steps of a job whose log is in one file.
func (i *importer) whole(ctx context.Context, f *os.File, sent sentRuns) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	i.root = cmp.Or(joblog.Workspace(f, i.facts.Repo), i.root)
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	var parts []joblog.Part
	if err := i.turn.work(func() (err error) {
		parts, err = joblog.Cut(i.turn.reader(f), i.job.Steps)
		return err
	}); err != nil {
		return err
	}
	for n, p := range parts {
		if sent.has(p.Step) {
			continue
		}
		if err := i.step(ctx, p, io.NewSectionReader(f, p.From, p.To-p.From), n == 0); err != nil {
			return err
		}
	}
	return nil
}

// importer returns the importer for the steps of a job. The importer also has the facts of the job's workflow file.
func (d *Deliveries) importer(turn *shift, client *github.Client, known store.EnrolledRepo, body logWork,
	a about) (*importer, error) {
	job, ctx := body.Job, turn.ctx
	i := &importer{store: d.Store, directory: d.Directory, remover: d.Remover, blobs: d.Blobs, claim: d.Claim,
		now: d.Now, facts: a.facts(known.Name, job), job: job, place: body.place, events: d.MaxEvents,
		turn: turn, restore: d.restorer(turn, client, known.Name, job.ID),
		commit: d.commits.of(client, body.place, known.Name, a.Commit)}
	of, found, err := i.commit.jobOf(ctx, a.path, job.Name)
	if found {
		i.facts.CI.Job, i.steps = of.ID, stepsOf(of, job.Steps)
	}
	if found && of.LegKnown {
		i.facts.CI.Matrix = of.Leg
	}
	i.root = joblog.UsualWorkspace(known.Name, i.facts.Platform, isHosted(job.Labels), of.InContainer)
	return i, err
}

// isHosted reports whether a job ran on a GitHub-hosted machine.
func isHosted(labels []string) bool { return !slices.Contains(labels, "self-hosted") }

// fetched completes the work on a stored log. It removes fetched runs of steps for which the job has sent runs in the
// meantime. It returns the queue job that reports on the run.
func (d *Deliveries) fetched(ctx context.Context, body logWork, repo string, a about) ([]store.Work, error) {
	if err := d.removeDoubles(ctx, doubleBody{Repo: repo, Job: attemptOf(body.Job)}); err != nil {
		return nil, err
	}
	return d.reportWork(body.place, repo, a)
}

// archived stores the steps of a job whose log exists only in the archive of its workflow run. It returns the error
// missing if the archive does not have the job.
func (d *Deliveries) archived(ctx context.Context, client *github.Client, known store.EnrolledRepo, i *importer,
	f *os.File, sent sentRuns, missing error) error {
	err := client.AttemptLogs(ctx, known.Name, i.job.RunID, max(1, i.job.RunAttempt), f, d.MaxLog)
	if err != nil {
		return d.queueError(known, err)
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	archive, err := joblog.OpenArchive(f, size)
	if err != nil {
		return err
	}
	if err := i.findWorkspace(archive); err != nil {
		return err
	}
	found, left := false, d.MaxLog
	for _, s := range i.job.Steps {
		log, err := archive.Open(i.job.Name, s)
		if err != nil {
			return err
		}
		if log == nil {
			continue
		}
		found = true
		if !sent.has(s) {
			left, err = i.unpacked(ctx, s, log, left)
		}
		_ = log.Close()
		if err != nil {
			return err
		}
	}
	if found {
		return nil
	}
	log, err := archive.OpenJob(i.job.Name)
	if err != nil || log == nil {
		return cmp.Or(err, missing)
	}
	defer log.Close()
	return i.unpack(log, d.MaxLog, func(whole *os.File, _ int64) error { return i.whole(ctx, whole, sent) })
}

// findWorkspace finds the workspace of a job in the log of its checkout step.
func (i *importer) findWorkspace(archive *joblog.Archive) error {
	for _, s := range i.job.Steps {
		if !strings.Contains(s.Name, "checkout") {
			continue
		}
		log, err := archive.Open(i.job.Name, s)
		if err != nil {
			return err
		}
		if log != nil {
			i.root = cmp.Or(joblog.Workspace(log, i.facts.Repo), i.root)
			_ = log.Close()
		}
	}
	return nil
}

// unpacked stores a step whose log is in an archive. It stores at most limit bytes of the log, and returns how many of
// these bytes remain for other steps.
func (i *importer) unpacked(ctx context.Context, s payload.Step, log io.Reader, limit int64) (left int64, err error) {
	err = i.unpack(log, limit, func(f *os.File, size int64) error {
		left = limit - size
		return i.step(ctx, joblog.Part{Step: s, To: size}, io.NewSectionReader(f, 0, size), true)
	})
	return left, err
}

// unpack calls a function with the first limit bytes of a log in an archive. A small archive may unpack to a very large
// log, so the log is not kept in memory.
func (i *importer) unpack(log io.Reader, limit int64, do func(f *os.File, size int64) error) error {
	f, err := unnamed.Create("", "blqd-log-") // a file without a name, because the log may have secrets
	if err != nil {
		return err
	}
	defer unnamed.Discard(f)
	var size int64
	err = i.turn.work(func() (err error) {
		if size, err = io.CopyN(f, i.turn.reader(log), limit); err == nil {
			_, err = io.ReadFull(log, make([]byte, 1))
		}
		return err
	})
	switch {
	case err == nil: // the log is longer
		i.lost = longer
		defer func() { i.lost = "" }()
	case !errors.Is(err, io.EOF):
		return err
	}
	return do(f, size)
}

// sentRuns are the runs that a job has sent itself.
type sentRuns []store.Run

// clockSlack is the max difference between the clocks of a runner and the service.
const clockSlack = 2 * time.Second

// sent returns the runs that a job has sent itself.
func (d *Deliveries) sent(ctx context.Context, of store.Run, job payload.WorkflowJob) (sentRuns, error) {
	_, sent, err := d.bothOf(ctx, doubleBody{Repo: of.Repo, Job: attemptOf(job)})
	return sent.ofJob(of.CI, job.Name), err
}

// attemptOf returns the attempt to which a job belongs.
func attemptOf(job payload.WorkflowJob) store.CIJob {
	return store.CIJob{RunID: strconv.FormatInt(job.RunID, 10), RunAttempt: max(1, job.RunAttempt)}
}

// has reports whether the job has sent a run for a step. The steps of a job run one after another, so the time of a
// run identifies its step.
func (s sentRuns) has(p payload.Step) bool {
	for _, r := range s {
		middle := r.StartedAt.Add(r.FinishedAt.Sub(r.StartedAt) / 2)
		if !middle.Before(p.StartedAt.Add(-clockSlack)) && middle.Before(p.CompletedAt.Add(clockSlack)) &&
			(!middle.Before(p.StartedAt) && middle.Before(p.CompletedAt.Add(time.Second)) || s.hasNameOf(r, p)) {
			return true
		}
	}
	return false
}

// hasNameOf reports whether a run has the name of a step. If the time of a run is slightly outside of the step's
// time, its name decides whether it belongs to the step.
func (s sentRuns) hasNameOf(r store.Run, p payload.Step) bool {
	return r.Source == sourceOf(p.Name)
}
