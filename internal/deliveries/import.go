package deliveries

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/ingest/parse/formats"
	"github.com/blq-ci/blq/internal/ci"
	"github.com/blq-ci/blq/internal/github/payload"
	"github.com/blq-ci/blq/internal/joblog"
	"github.com/blq-ci/blq/internal/redact"
	"github.com/blq-ci/blq/internal/step"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

// importer stores the steps of a job as runs.
type importer struct {
	store  Store
	blobs  chunk.Putter
	room   func(ctx context.Context, repo string, bytes int64) (done func(), err error)
	now    func() time.Time
	place  place
	facts  store.Run
	job    payload.WorkflowJob
	lost   string // what is missing of the last step
	events int    // max number of those of a step

	restore joblog.Restore
}

// stepMark begins the field CI.Step of runs whose logs were fetched.
const stepMark = "log:"

// attempt returns the attempt ID of a step, always the same one. It begins with a time, as all of them.
func (i *importer) attempt(p payload.Step) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%d/%d", i.place, i.job.ID, p.Number))
	id := uuid.UUID(sum[:16])
	ms := p.StartedAt.UnixMilli()
	for b := range 6 {
		id[b] = byte(ms >> (40 - 8*b))
	}
	id[6], id[8] = id[6]&0x0f|0x70, id[8]&0x3f|0x80
	return id.String()
}

// step stores a step. It may be repeated: what is stored already stays as it is.
func (i *importer) step(ctx context.Context, p joblog.Part, text io.ReadSeeker, isFirst bool) error {
	head, end, err := joblog.Text(text, isFirst, io.Discard, nil)
	if err != nil || isDull(p, head) {
		return err
	}
	if _, err := text.Seek(0, io.SeekStart); err != nil {
		return err
	}
	r := redact.New(redact.Options{Shapes: true})
	run := i.describe(r, p, head)
	done := func() {}
	if i.room != nil {
		if done, err = i.room(ctx, run.Repo, p.To-p.From); err != nil {
			return store.Later(err, time.Hour)
		}
	}
	defer done()
	stored, err := i.store.StartRun(ctx, run)
	if err != nil || stored.State == store.StateCompleted {
		return err
	}
	w, err := chunk.NewWriter(i.store, i.blobs, run.Attempt)
	if err != nil {
		return err
	}
	ending := i.ending(p, end)
	t := newTaker(ctx, i.store, w, run)
	t.max = i.events
	stream := r.Stream(t.take)
	if _, _, err := joblog.Text(text, isFirst, stream, i.restore); err != nil {
		return err
	}
	stream.Close()
	batches, err := t.finish(ending)
	if err != nil {
		return err
	}
	ending.Lost = t.lost(ending)
	_, err = i.store.FinishRun(ctx, run.Attempt, store.Finish{Ending: ending, Chunks: w.Chunks(), Batches: batches,
		Lines: w.Lines()})
	return err
}

// isDull reports whether a step that passed is one of the runner's own, or only fetches and keeps files.
func isDull(p joblog.Part, h joblog.Head) bool {
	return p.Conclusion == "success" && (p.IsRunners() || h.Uses && strings.HasPrefix(h.Title, "actions/"))
}

// describe returns the run of a step.
func (i *importer) describe(r *redact.Redactor, p joblog.Part, h joblog.Head) store.Run {
	run := i.facts
	about := *i.facts.CI
	run.CI = &about
	run.Attempt, run.CI.Step = i.attempt(p.Step), fmt.Sprintf("%s%d", stepMark, p.Number)
	run.StartedAt, run.HeartbeatAt, run.State = p.StartedAt, i.now(), store.StateRunning
	script := strings.TrimSpace(h.Script)
	run.Source = sourceOf(p.Name)
	switch {
	case script != "":
		run.Command = script
		if line, _, _ := strings.Cut(script, "\n"); p.Name == "Run "+strings.TrimSpace(line) { // it has no name
			run.Source = step.Parse(script).Name(".")
		}
	case h.Title != "":
		run.Command = h.Title
	default:
		run.Command = p.Name
	}
	run.Command = r.Command(run.Command)
	if !store.IsSourceName(run.Source) || run.Source == "latest" {
		run.Source = fmt.Sprintf("step-%d", p.Number)
	}
	run.Shape = step.Shape(run, run.Command, "")
	for _, text := range []*string{&run.Git.Branch, &about.Workflow, &about.Job, &about.Matrix, &about.Actor,
		&about.HeadRef, &about.BaseRef, &run.Hostname} {
		*text = r.String(*text)
	}
	run.Source = strings.ReplaceAll(r.Label(run.Source), "***", "redacted")
	return run
}

// sourceOf returns the name of a step as the name of a source: "Build & test" is Build-test.
func sourceOf(name string) string {
	name = strings.TrimPrefix(name, "Run ")
	if at := strings.LastIndexByte(name, '@'); at > 0 && !strings.Contains(name, " ") { // an action
		name = name[:at]
	}
	words := strings.FieldsFunc(name, func(r rune) bool { return !store.IsSourceName("a" + string(r)) })
	name = strings.Trim(strings.Join(words, "-"), "-./+~")
	for strings.Contains(name, "--") {
		name = strings.ReplaceAll(name, "--", "-")
	}
	for len(name) > 100 {
		name = string([]rune(name)[:len([]rune(name))-1])
	}
	return name
}

// ending returns how a step ended. What the runner says in the log counts more than the step's conclusion, because a
// step that may fail has passed for GitHub.
func (i *importer) ending(p joblog.Part, end joblog.End) store.Ending {
	e := store.Ending{FinishedAt: p.CompletedAt, ExitCode: end.ExitCode}
	if e.FinishedAt.Before(p.StartedAt) {
		e.FinishedAt = p.StartedAt
	}
	code := 0
	switch {
	case end.TimedOut || p.Conclusion == "timed_out":
		e.Reason = store.ReasonTimeout
	case end.Canceled || p.Conclusion == "cancelled":
		e.Reason = store.ReasonCancelled
	case e.ExitCode != nil:
	case p.Conclusion == "failure":
		code = 1
		fallthrough
	default:
		e.ExitCode = &code
	}
	e.Lost = i.lost
	return e
}

// lost says what is missing of a run: what its ending says, and events beyond the max number.
func (t *taker) lost(e store.Ending) string {
	if t.dropped == 0 {
		return e.Lost
	}
	text := fmt.Sprintf("%d events beyond the first %d", t.dropped, t.max)
	if e.Lost != "" {
		text = e.Lost + "; " + text
	}
	return text
}

// taker takes the text of a step: for the log, and for the parser.
type taker struct {
	ctx     context.Context
	store   Store
	log     *chunk.Writer
	parser  *parse.Parser
	attempt string
	events  []store.Event
	last    int // ID of the newest event
	max     int // number of events
	dropped int // events beyond that
	batches int
	err     error
}

// batchSize is how many events are stored at a time.
const batchSize = 1000

func newTaker(ctx context.Context, s Store, log *chunk.Writer, run store.Run) *taker {
	t := &taker{ctx: ctx, store: s, log: log, attempt: run.Attempt}
	t.parser = parse.New(parse.Options{Formats: formats.All(), WorkDirs: ci.WorkDirs(run.Command)}, t.add)
	return t
}

func (t *taker) take(text []byte) {
	if t.err == nil {
		_, t.err = t.log.Write(t.ctx, store.StreamCombined, text)
	}
	t.parser.Write(text)
}

func (t *taker) add(e store.Event) {
	if t.last == t.max {
		t.dropped++
		return
	}
	t.last++
	e.ID = t.last
	t.events = append(t.events, e)
	if len(t.events) == batchSize {
		t.send()
	}
}

func (t *taker) send() {
	if t.err == nil && len(t.events) > 0 {
		t.err = t.store.AddEvents(t.ctx, t.attempt, t.batches, t.events)
		t.batches++
	}
	t.events = t.events[:0]
}

// finish stores what is left, and returns the number of batches.
func (t *taker) finish(e store.Ending) (batches int, err error) {
	if t.err == nil {
		t.err = t.log.Flush(t.ctx)
	}
	code := e.ExitCode
	if code == nil && e.Reason != store.ReasonExit {
		failed := 1
		code = &failed
	}
	t.parser.Finish(code)
	t.send()
	return t.batches, t.err
}
