package action

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

// These files are written for a run that was not sent, next to artifactPage. Their folder is named after the attempt ID
// of the run.
const (
	ArtifactRun    = "run.json"      // Artifact as JSON
	ArtifactEvents = "events.ndjson" // one api.Event per line
	ArtifactLog    = "log.zst"       // the log as consecutive zstd frames
)

// Artifact is the content of run.json.
type Artifact struct {
	api.Start
	api.Finish
	RunRef   string       `json:"run_ref"`
	Status   store.Status `json:"status"`
	Errors   int          `json:"error_count"`
	Warnings int          `json:"warning_count"`
}

// writeArtifact writes the files of a run, without the secrets that are known now. If the files exist, it rewrites
// them only if more secrets are known than before. The folder appears only when it is complete. The caller holds the
// lock of the artifact.
func (x *sending) writeArtifact(ctx context.Context, r store.Run) error {
	known := x.Redactor.Values()
	if x.state.hiddenIn(r.Attempt) >= known {
		return nil
	}
	whole := filepath.Join(x.state.artifacts(), r.Attempt)
	if err := os.MkdirAll(x.state.artifacts(), 0o755); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(x.state.artifacts(), ".writing-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, write := range []func(context.Context, store.Run, string) error{x.writeRun, x.writeEvents, x.writeLog} {
		if err := write(ctx, r, dir); err != nil {
			return err
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	if err := os.RemoveAll(whole); err != nil {
		return err
	}
	if err := os.Rename(dir, whole); err != nil {
		return err
	}
	return x.noteHidden(r.Attempt, known)
}

// artifactWait is the max time that a step waits for another step that writes the same artifact.
const artifactWait = 5 * time.Second

// lockArtifact locks the artifact of a run, and returns a function that unlocks it. Steps that run in parallel rewrite
// each other's artifacts. Without the lock, an older text could replace a newer one.
func (s jobFolder) lockArtifact(ctx context.Context, attempt string) (unlock func(), err error) {
	if err := os.MkdirAll(s.path("hidden"), 0o755); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, artifactWait)
	defer cancel()
	lock := flock.New(s.path("hidden", attempt+".lock"))
	if _, err := lock.TryLockContext(ctx, 10*time.Millisecond); err != nil {
		return nil, fmt.Errorf("another step holds %s: %w", lock.Path(), err)
	}
	return func() { lock.Unlock() }, nil
}

// hiddenIn returns the number of secrets that were known when a run's artifact was written. It returns -1 if there is
// no artifact, or if the number is not known.
func (s jobFolder) hiddenIn(attempt string) int {
	if _, err := os.Stat(filepath.Join(s.artifacts(), attempt)); err != nil {
		return -1
	}
	text, _ := os.ReadFile(s.path("hidden", attempt))
	if n, err := strconv.Atoi(string(text)); err == nil {
		return n
	}
	return -1
}

func (x *sending) noteHidden(attempt string, known int) error {
	return os.WriteFile(x.state.path("hidden", attempt), []byte(strconv.Itoa(known)), 0o644)
}

// rehide removes secrets from the artifacts of earlier steps. It rewrites an artifact if fewer secrets were known when
// the artifact was written.
func (x *sending) rehide(ctx context.Context) {
	all := *x.wrapped
	all.known = -1 // the logs of earlier steps may contain all secrets
	y := &sending{wrapped: &all}
	list, _ := os.ReadDir(x.state.artifacts())
	for _, dir := range list {
		if strings.HasPrefix(dir.Name(), ".") || x.state.hiddenIn(dir.Name()) >= x.Redactor.Values() {
			continue
		}
		if err := y.rewriteArtifact(ctx, dir.Name()); err != nil {
			x.lost = append(x.lost, "secrets of this step may be left in the artifact of an earlier one: "+err.Error())
		}
	}
}

// rewriteArtifact writes the artifact of a run again. It does nothing if the artifact was removed because the run was
// sent.
func (x *sending) rewriteArtifact(ctx context.Context, attempt string) error {
	unlock, err := x.state.lockArtifact(ctx, attempt)
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := os.Stat(filepath.Join(x.state.artifacts(), attempt)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	r, err := x.w.Store.Run(ctx, store.Everything(), store.Ref{Attempt: attempt})
	if err != nil {
		return err
	}
	return x.writeArtifact(ctx, r)
}

func (x *sending) writeRun(_ context.Context, r store.Run, dir string) error {
	if x.hider().Late() {
		record.Hide(x.Redactor, &r)
	}
	a := Artifact{
		Start: api.Start{
			AttemptID: r.Attempt, Repo: r.Repo, Source: r.Source, Command: r.Command, Cwd: r.Cwd, StartedAt: r.StartedAt,
			Hostname: r.Hostname, Platform: r.Platform, Arch: r.Arch,
			Commit: r.Git.Commit, Branch: r.Git.Branch, Dirty: r.Git.Dirty, GitRoot: r.Git.Root, CI: r.CI, Format: r.Format,
			Shape: r.Shape,
		},
		Finish: api.Finish{FinishedAt: r.FinishedAt, ExitCode: r.ExitCode, Signal: r.Signal, Reason: r.Reason, Lost: r.Lost,
			Lines: r.Lines},
		RunRef: r.Ref().String(), Status: r.Status(), Errors: r.Errors, Warnings: r.Warnings,
	}
	text, err := json.MarshalIndent(a, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, ArtifactRun), append(text, '\n'), 0o644)
}

func (x *sending) writeEvents(ctx context.Context, r store.Run, dir string) error {
	page, err := x.w.Store.Events(ctx, store.Everything(),
		store.EventFilter{Runs: store.RunFilter{Attempts: []string{r.Attempt}}})
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, ArtifactEvents), func(out *bufio.Writer) error {
		lines := json.NewEncoder(out)
		for _, e := range page.Events {
			if x.hider().Late() {
				x.hider().Event(&e.Event)
			}
			if err := lines.Encode(api.Event{ID: e.ID, Event: e.Event, Pattern: e.Pattern, Stream: e.Stream}); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeLog writes the chunks of the log one after another. Each chunk is a zstd frame.
func (x *sending) writeLog(ctx context.Context, r store.Run, dir string) error {
	chunks, err := x.w.Store.Chunks(ctx, store.Everything(), r.Attempt, store.StreamCombined, 1, 0)
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, ArtifactLog), func(out *bufio.Writer) error {
		for _, c := range chunks {
			object, err := x.w.Blobs.Get(ctx, c.Key)
			if err == nil && x.hider().Late() {
				object, err = chunk.Rewrite(object, c, x.hider().Blank)
			}
			if err != nil {
				return err
			}
			if _, err := out.Write(object); err != nil {
				return err
			}
		}
		return nil
	})
}

func writeFile(name string, write func(*bufio.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	out := bufio.NewWriter(f)
	if err := write(out); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return f.Close()
}
