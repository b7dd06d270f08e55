package report

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path"
	"time"

	"github.com/google/uuid"
	"github.com/klauspost/compress/zstd"

	"github.com/blq-ci/blq/action"
	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

// These limits bound what is read from the artifacts of a workflow run. They bound the size of the unpacked text,
// because a small compressed file may contain a very long text.
const (
	maxRuns   = 1000
	maxRun    = 1 << 20 // max bytes of run.json
	maxLog    = 1 << 30 // max bytes of a log's text
	maxLogs   = 4 << 30 // max bytes of all logs
	maxEvents = 100_000 // max events of a run
	maxEvent  = 1 << 20 // max bytes of an event
	batchSize = 1000    // max events in one batch
)

// importer stores runs from artifacts.
type importer struct {
	subject subject
	store   store.Recorder
	blobs   chunk.Putter
	runs    []store.Run
	logs    int64                   // number of bytes of logs that were read so far
	wrong   []string                // messages about artifacts that could not be read
	unread  int                     // number of artifacts and runs that could not be read
	ends    map[string]store.Ending // end of each run, by attempt
}

// complain records that an artifact or a run could not be read. The unread run may contain a failure, so the result
// is unknown.
func (i *importer) complain(format string, args ...any) {
	i.unread++
	const maxWrong = 10
	if len(i.wrong) < maxWrong {
		i.wrong = append(i.wrong, fmt.Sprintf(format, args...))
	}
}

// all imports the runs in a tree, at most maxRuns. It skips runs that cannot be read, and reports them with complain.
func (i *importer) all(ctx context.Context, fsys fs.FS) error {
	return fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			i.complain("%s is not read: %v", name, err)
			return nil
		case d.IsDir():
			return nil
		case path.Base(name) != action.ArtifactRun:
			i.checkWhole(fsys, name)
			return nil
		case len(i.runs) >= maxRuns:
			i.complain("only the first %d runs are read", maxRuns)
			return fs.SkipAll
		}
		if err := i.one(ctx, fsys, path.Dir(name)); err != nil {
			i.complain("%s is not read: %v", path.Dir(name), err)
		}
		return nil
	})
}

// checkWhole complains about a folder that has a log but no run.json.
func (i *importer) checkWhole(fsys fs.FS, name string) {
	if path.Base(name) != action.ArtifactLog {
		return
	}
	if _, err := fs.Stat(fsys, path.Join(path.Dir(name), action.ArtifactRun)); err != nil {
		i.complain("%s is not read: it has no %s", path.Dir(name), action.ArtifactRun)
	}
}

// sameEnd compares the end of a run with its end in an earlier artifact. It returns an error if the statuses differ.
func (i *importer) sameEnd(attempt string, e store.Ending) error {
	status := func(e store.Ending) store.Status { return store.Run{State: store.StateCompleted, Ending: e}.Status() }
	if had, ok := i.ends[attempt]; ok && status(had) != status(e) {
		return store.Errorf(store.Conflict, "another artifact says that it ended otherwise")
	}
	return nil
}

// one imports the run in a folder.
func (i *importer) one(ctx context.Context, fsys fs.FS, dir string) error {
	a, err := readRun(fsys, path.Join(dir, action.ArtifactRun))
	if err != nil {
		return err
	}
	run, ending := described(a)
	i.subject.overrule(&run)
	if err := i.sameEnd(run.Attempt, ending); err != nil {
		return err
	}
	run, err = i.store.StartRun(ctx, run)
	if err != nil || run.State != store.StateRunning {
		return err // another artifact has already the same run
	}
	if i.ends == nil {
		i.ends = map[string]store.Ending{}
	}
	i.ends[run.Attempt] = ending
	w, err := chunk.NewWriter(i.store, i.blobs, run.Attempt)
	if err != nil {
		return err
	}
	if err := i.log(ctx, fsys, path.Join(dir, action.ArtifactLog), w); err != nil {
		ending.Lost = "part of the log: " + err.Error()
	}
	batches, err := i.events(ctx, fsys, path.Join(dir, action.ArtifactEvents), run.Attempt)
	if err != nil {
		ending.Lost = "part of the events: " + err.Error()
	}
	run, err = i.store.FinishRun(ctx, run.Attempt,
		store.Finish{Ending: ending, Chunks: w.Chunks(), Batches: batches, Lines: w.Lines()})
	if err != nil {
		return err
	}
	i.runs = append(i.runs, run)
	if ending.ExitCode == nil && ending.Signal == "" && ending.Reason == store.ReasonExit {
		return store.Errorf(store.Invalid, "it does not say how it ended")
	}
	if a.Status != "" && a.Status != store.StatusOK && run.Status() == store.StatusOK {
		return store.Errorf(store.Invalid, "it says both that it passed and %s", a.Status)
	}
	return nil
}

func readRun(fsys fs.FS, name string) (action.Artifact, error) {
	var a action.Artifact
	f, err := fsys.Open(name)
	if err != nil {
		return a, err
	}
	defer f.Close()
	if err := json.NewDecoder(io.LimitReader(f, maxRun)).Decode(&a); err != nil {
		return a, store.Errorf(store.Invalid, "%s: %w", action.ArtifactRun, err)
	}
	if err := uuid.Validate(a.AttemptID); err != nil || !store.IsSourceName(a.Source) || a.Source == "latest" {
		return a, store.Errorf(store.Invalid, "%s names no attempt or source", action.ArtifactRun)
	}
	if a.Status == store.StatusRunning || a.Status == store.StatusOrphaned {
		return a, store.Errorf(store.Invalid, "the end of the run is not known: its step, or blq, was killed")
	}
	return a, nil
}

// described returns the run in an artifact, and the run's end. It replaces impossible times, and a start more than 60
// days ago, by the present time. The run is undated, because the times are of the clock of the job's machine.
func described(a action.Artifact) (store.Run, store.Ending) {
	now := time.Now()
	if a.StartedAt.After(now) || now.Sub(a.StartedAt) > 60*24*time.Hour {
		a.StartedAt = now
	}
	if a.FinishedAt.Before(a.StartedAt) || a.FinishedAt.After(now) {
		a.FinishedAt = now
	}
	return store.Run{
			Attempt: a.AttemptID, Source: a.Source, Command: a.Command, Cwd: a.Cwd, Shape: a.Shape,
			State: store.StateRunning, StartedAt: a.StartedAt, HeartbeatAt: a.StartedAt, Undated: true,
			Hostname: a.Hostname, Platform: a.Platform, Arch: a.Arch,
			Git: store.Git{Dirty: a.Dirty, Root: a.GitRoot}, CI: a.CI,
		}, store.Ending{
			FinishedAt: a.FinishedAt, ExitCode: a.ExitCode, Signal: a.Signal, Reason: a.Reason, Lost: a.Lost,
		}
}

// log copies a log. It returns an error if the log has too many bytes of text.
func (i *importer) log(ctx context.Context, fsys fs.FS, name string, to *chunk.Writer) error {
	f, err := fsys.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	d, err := zstd.NewReader(bufio.NewReader(f), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(8<<20))
	if err != nil {
		return err
	}
	defer d.Close()
	left := min(int64(maxLog), maxLogs-i.logs)
	n, err := io.Copy(writer{ctx, to}, io.LimitReader(d, left))
	i.logs += n
	if flushed := to.Flush(ctx); err == nil {
		err = flushed
	}
	var next [1]byte
	if _, end := io.ReadFull(d, next[:]); err == nil && end == nil {
		err = store.Errorf(store.TooLarge, "only %d bytes of it are read", left)
	}
	return err
}

// writer writes the text of a log to a chunk.Writer.
type writer struct {
	ctx context.Context
	to  *chunk.Writer
}

func (w writer) Write(text []byte) (int, error) {
	return w.to.Write(w.ctx, store.StreamCombined, text)
}

// events stores the events of a file with one event per line. It returns the number of batches.
func (i *importer) events(ctx context.Context, fsys fs.FS, name, attempt string) (batches int, err error) {
	f, err := fsys.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxEvent)
	var batch []store.Event
	send := func() error {
		if len(batch) == 0 {
			return nil
		}
		err := i.store.AddEvents(ctx, attempt, batches, batch)
		batches, batch = batches+1, nil
		return err
	}
	for n := 0; lines.Scan(); {
		var e api.Event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return batches, fmt.Errorf("event %d: %w", n+1, err)
		}
		if n++; n > maxEvents {
			return batches, store.Errorf(store.TooLarge, "only the first %d are read", maxEvents)
		}
		batch = append(batch, readEvent(e, n))
		if len(batch) == batchSize {
			if err := send(); err != nil {
				return batches, err
			}
		}
	}
	if err := lines.Err(); err != nil {
		return batches, err
	}
	return batches, send()
}

// readEvent returns an event of an artifact. Its number is the argument n, and its fingerprint is computed anew.
func readEvent(e api.Event, n int) store.Event {
	ev := e.Event
	ev.ID, ev.Stream = n, ""
	if ev.Severity != store.SeverityError && ev.Severity != store.SeverityWarning {
		ev.Severity = store.SeverityInfo
	}
	ev.Line, ev.Column = max(0, ev.Line), max(0, ev.Column)
	ev.LogLine = max(0, ev.LogLine)
	ev.LogLineEnd = max(ev.LogLine, ev.LogLineEnd)
	ev.Fingerprint, ev.Pattern = store.Fingerprint(ev), store.Pattern(ev)
	return ev
}
