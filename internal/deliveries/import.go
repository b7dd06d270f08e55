package deliveries

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/internal/github/payload"
	"github.com/blq-ci/blq/internal/joblog"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/internal/redact"
	"github.com/blq-ci/blq/internal/step"
	"github.com/blq-ci/blq/internal/workflowfile"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

// importer stores the steps of a job as runs.
type importer struct {
	store     Store
	directory store.Enrolment
	remover   store.Remover
	blobs     chunk.Putter
	claim     func(ctx context.Context, repo string, c store.Claim) (done func(), err error)
	now       func() time.Time
	place     place
	facts     store.Run
	job       payload.WorkflowJob
	lost      string // describes the missing part of the last step
	events    int    // max number of events of a step
	turn      *shift // the turn of the job

	restore joblog.Restore

	commit files
	failed error                     // why a file of the commit is unknown, although another try may succeed
	root   string                    // the workspace, "" if unknown
	steps  map[int]workflowfile.Step // known steps by number
	before []store.Run               // runs of the earlier steps
}

// stepMark is the prefix of the field CI.Step of fetched runs.
const stepMark = "log:"

// attempt returns the attempt ID of a step. The ID is the same for each try. The parameter again is
// the number of runs of the step that have been removed, so each removal leads to a new ID. Like all
// attempt IDs, the ID begins with a time.
func (i *importer) attempt(p payload.Step, again int) string {
	name := fmt.Sprintf("%s/%d/%d", i.place, i.job.ID, p.Number)
	if again > 0 {
		name += fmt.Sprintf("/%d", again)
	}
	sum := sha256.Sum256([]byte(name))
	id := uuid.UUID(sum[:16])
	ms := p.StartedAt.UnixMilli()
	for b := range 6 {
		id[b] = byte(ms >> (40 - 8*b))
	}
	id[6], id[8] = id[6]&0x0f|0x70, id[8]&0x3f|0x80
	return id.String()
}

// step stores a step as a run, unless isDull is true for the step. A call may be repeated: a run that is already stored
// completely stays unchanged.
func (i *importer) step(ctx context.Context, p joblog.Part, text io.ReadSeeker, isFirst bool) error {
	var head joblog.Head
	var end joblog.End
	if err := i.turn.work(func() (err error) {
		head, end, err = joblog.Text(i.turn.reader(text), isFirst, io.Discard, nil)
		return err
	}); err != nil || i.isDull(p, head) {
		return err
	}
	if _, err := text.Seek(0, io.SeekStart); err != nil {
		return err
	}
	r := redact.New(redact.Options{Shapes: true})
	run, line := i.describe(r, p, head)
	run.Shape = step.Again(run, i.before)
	i.before = append(i.before, store.Run{Repo: run.Repo, Source: run.Source, Shape: run.Shape, CI: run.CI})
	known, err := i.earlier(ctx, &run, p.Step)
	if err != nil || known.State == store.StateCompleted {
		return err
	}
	room := store.Claim{Bytes: store.RunRow + run.TextBytes() + p.To - p.From}
	if known.Attempt == "" {
		room.Runs = 1
	}
	done, err := i.claim(ctx, run.Repo, room)
	if err != nil {
		return overQuota(err)
	}
	defer done()
	if _, err := i.store.StartRun(ctx, run); err != nil {
		return err
	}
	to := keeper{i.turn, i.store, i.blobs}
	w, err := chunk.NewWriter(to, to, run.Attempt)
	if err != nil {
		return err
	}
	ending := i.ending(p, end)
	t := i.taker(ctx, w, run, line)
	batches := 0
	if err := i.turn.work(func() error {
		stream := r.Stream(t.take)
		if _, _, err := joblog.Text(i.turn.reader(text), isFirst, stream, i.restore); err != nil {
			return err
		}
		stream.Close()
		var err error
		batches, err = t.finish(ending)
		return cmp.Or(err, i.failed)
	}); err != nil {
		return err
	}
	ending.Lost = t.lost(ending)
	if _, err = i.store.FinishRun(ctx, run.Attempt, store.Finish{Ending: ending, Chunks: w.Chunks(), Batches: batches,
		Lines: w.Lines()}); err != nil {
		return err
	}
	return i.followed(ctx, run)
}

// maxAgain is the max number of attempt IDs that are tried for a step, because the runs with earlier IDs may have been
// removed.
const maxAgain = 5

// earlier gives the run of a step its attempt ID. It returns the run that an earlier try has stored, or the zero Run.
func (i *importer) earlier(ctx context.Context, run *store.Run, p payload.Step) (store.Run, error) {
	for again := range maxAgain {
		run.Attempt = i.attempt(p, again)
		known, err := i.store.Run(ctx, store.Everything(), store.Ref{Attempt: run.Attempt})
		if _, removed := store.PrunedRun(err); removed {
			continue
		}
		switch {
		case store.CodeOf(err) == store.NotFound:
			return store.Run{}, nil
		case err != nil || known.Repo == run.Repo:
			return known, err
		}
		if err := i.discard(ctx, known); err != nil {
			return known, err
		}
	}
	return store.Run{}, store.Errorf(store.Conflict, "the run of step %d was removed %d times", p.Number, maxAgain)
}

// followed checks whether the repository was renamed during this try. Runs that are stored under the old name after
// the rename are not moved. So the run is discarded and stored again.
func (i *importer) followed(ctx context.Context, run store.Run) error {
	known, err := i.directory.EnrolledRepo(ctx, i.place.Host, i.place.RepoID)
	if store.CodeOf(err) == store.NotFound || err == nil && known.Name == run.Repo {
		return nil
	}
	if err == nil {
		err = i.discard(ctx, run)
	}
	if err != nil {
		return err
	}
	return store.Later(store.Errorf(store.Unavailable, "%s was renamed to %s meanwhile", run.Repo, known.Name), 0)
}

// discard removes a run that was stored under an earlier name of its repository.
func (i *importer) discard(ctx context.Context, run store.Run) error {
	if run.State != store.StateCompleted {
		_, err := i.store.FinishRun(ctx, run.Attempt, store.Finish{Chunks: -1, Batches: -1,
			Ending: store.Ending{FinishedAt: i.now(), Reason: store.ReasonCancelled}})
		if err != nil && store.CodeOf(err) != store.Conflict {
			return err
		}
	}
	_, err := i.remover.RemoveRuns(ctx, run.Repo, []string{run.Attempt})
	return err
}

// isDull reports whether a step need not be stored. Such a step was successful. It belongs to the runner, or uses an
// action whose name begins with actions/, such as actions/checkout.
func (i *importer) isDull(p joblog.Part, h joblog.Head) bool {
	return p.Conclusion == "success" &&
		(joblog.IsRunners(i.job.Steps, p.Step) || h.Uses && strings.HasPrefix(h.Title, "actions/"))
}

// describe returns the run of a step, and the command line for step.Shape.
func (i *importer) describe(r *redact.Redactor, p joblog.Part, h joblog.Head) (run store.Run, line string) {
	run = i.facts
	about := *i.facts.CI
	run.CI = &about
	run.CI.Step = fmt.Sprintf("%s%d", stepMark, p.Number)
	run.StartedAt, run.HeartbeatAt, run.State = p.StartedAt, i.now(), store.StateRunning
	known := i.steps[p.Number]
	if known.DirKnown && i.root != "" {
		run.Cwd, run.Git.Root = within(i.root, known.Dir), i.root
	}
	script := strings.TrimSpace(h.Script)
	run.Source = sourceOf(p.Name)
	line = cmp.Or(h.Title, p.Name)
	if run.Command = line; script != "" {
		run.Command, line = step.Shown(h.Script), step.Script(h.Shell, h.Script)
		first, _, _ := strings.Cut(script, "\n")
		if p.Name == "Run "+strings.TrimSpace(first) { // the step has no name
			run.Source = step.Parse(line).Name(step.Within(cmp.Or(run.Cwd, "."), run.Git.Root))
			if store.IsSourceName(known.ID) && known.ID != "latest" {
				run.Source = known.ID
			}
		}
	}
	run.Command, line = r.Command(run.Command), r.Command(line)
	if !store.IsSourceName(run.Source) || run.Source == "latest" {
		run.Source = fmt.Sprintf("step-%d", p.Number)
	}
	run.Shape = step.Shape(run, line, run.Git.Root)
	for _, text := range []*string{&run.Git.Branch, &about.Workflow, &about.Job, &about.Matrix, &about.Actor,
		&about.HeadRef, &about.BaseRef, &run.Hostname} {
		*text = r.String(*text)
	}
	run.Source = strings.ReplaceAll(r.Label(run.Source), "***", "redacted")
	return run, line
}

// within returns the absolute path of a directory. The directory may be relative to the workspace root. The root may
// be a Windows path.
func within(root, dir string) string {
	if parse.IsAbs(dir) {
		return dir
	}
	slashed := path.Join(strings.ReplaceAll(root, `\`, "/"), strings.ReplaceAll(dir, `\`, "/"))
	if strings.Contains(root, `\`) {
		return strings.ReplaceAll(slashed, "/", `\`)
	}
	return slashed
}

// overQuota returns err with the time to wait before the next try, if a quota of storage is full: storage may become
// free. It returns other errors unchanged. The error for a daily quota already has the time to wait.
func overQuota(err error) error {
	if _, known := store.RetryAfter(err); known || store.CodeOf(err) != store.Full {
		return err
	}
	return store.Later(err, time.Hour)
}

// sourceOf returns the name of a step as a source name, in the form of the Action: "Build & test" becomes Build-test.
func sourceOf(name string) string {
	name = strings.TrimPrefix(name, "Run ")
	if at := strings.LastIndexByte(name, '@'); at > 0 && !strings.Contains(name, " ") { // the step is an action
		name = name[:at]
	}
	return store.NameSource(name)
}

// ending returns how a step ended. A timeout or cancellation comes first, from the log or from the step's conclusion.
// The exit code in the log comes next, because GitHub's conclusion of a step that may fail is always success. A step
// with neither an exit code nor a conclusion has not passed: its runner died.
func (i *importer) ending(p joblog.Part, end joblog.End) store.Ending {
	e := store.Ending{FinishedAt: p.CompletedAt, ExitCode: end.ExitCode}
	if e.FinishedAt.Before(p.StartedAt) {
		e.FinishedAt = p.StartedAt
	}
	e.Lost = i.lost
	code := 0
	switch {
	case end.TimedOut || p.Conclusion == "timed_out":
		e.Reason = store.ReasonTimeout
	case end.Canceled || p.Conclusion == "cancelled":
		e.Reason = store.ReasonCancelled
	case e.ExitCode != nil:
	case p.Conclusion == "":
		e.Lost = cmp.Or(i.lost, "the end of the step: GitHub does not say how it ended")
	case markdown.FailedConclusion(p.Conclusion):
		code = 1
		fallthrough
	default:
		e.ExitCode = &code
	}
	return e
}
