package action

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/chunk"
)

// The files of a run that was not sent. They are in a folder named after its attempt.
const (
	ArtifactRun    = "run.json"      // an Artifact as JSON
	ArtifactEvents = "events.ndjson" // one api.Event a line
	ArtifactLog    = "log.zst"       // the log as zstd frames, one after the other
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

// writeArtifact writes a run's files unless they exist. The folder appears only once it is
// complete.
func (x *sending) writeArtifact(ctx context.Context, r store.Run) error {
	whole := filepath.Join(x.state.artifacts(), r.Attempt)
	if _, err := os.Stat(whole); err == nil {
		return nil
	}
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
	return os.Rename(dir, whole)
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

// writeLog writes the log's chunks one after the other; each is a zstd frame.
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
