package project

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/internal/shellword"
	"github.com/blq-ci/blq/store"
)

// CleanMode says which data Clean removes.
type CleanMode string

// These are the modes of Clean.
const (
	CleanData   CleanMode = "data"   // removes all runs; configuration and commands stay
	CleanSource CleanMode = "source" // removes all runs of a source that is not used any more
	CleanPrune  CleanMode = "prune"  // removes the runs that the policy does not keep
	CleanSchema CleanMode = "schema" // recreates the database; the configuration stays
	CleanFull   CleanMode = "full"   // recreates the whole folder
)

// Cleaned is the result of Clean.
type Cleaned struct {
	Message string
	Mode    CleanMode
	Removed *store.Pruned // the pruned runs, nil if everything was removed
}

// Prune removes the runs that the policy does not keep, and their logs.
func (w *Project) Prune(ctx context.Context, p store.Policy) (store.Pruned, error) {
	done, err := w.Store.Prune(ctx, store.Everything(), p)
	if err != nil {
		return done, err
	}
	return done, w.collect(ctx)
}

// pruneAndCompact prunes runs and returns the freed space to the file system.
func (w *Project) pruneAndCompact(ctx context.Context, p store.Policy) (store.Pruned, error) {
	done, err := w.Prune(ctx, p)
	if c, ok := w.Store.(compacter); ok && err == nil {
		err = c.Compact(ctx)
	}
	return done, err
}

// compacter is a store that can shrink its files.
type compacter interface {
	Compact(ctx context.Context) error
}

// Rewrite changes a completed run, and deletes the replaced data.
func (w *Project) Rewrite(ctx context.Context, r store.Rewriting) error {
	if err := w.Store.RewriteRun(ctx, r); err != nil {
		return err
	}
	return w.deleteGarbage(ctx)
}

// unneeded is the min age at which fact objects without a snapshot are deleted. For a younger object, another process
// may still be about to store the snapshot.
const unneeded = time.Hour

// collect deletes objects that no run and no snapshot uses.
func (w *Project) collect(ctx context.Context) error {
	_, unswept := facts.Sweep(ctx, w.Store, w.Blobs, time.Now().Add(-unneeded))
	return errors.Join(unswept, w.deleteGarbage(ctx))
}

func (w *Project) deleteGarbage(ctx context.Context) error {
	for {
		keys, err := w.Store.Garbage(ctx, 1000)
		if err != nil || len(keys) == 0 {
			return err
		}
		for _, k := range keys {
			if err := w.Blobs.Delete(ctx, k); err != nil {
				return err
			}
		}
		if err := w.Store.Collected(ctx, keys); err != nil {
			return err
		}
	}
}

// Policy returns the retention policy at the given time.
func (r Retention) Policy(now time.Time) store.Policy {
	p := store.Policy{KeepPerSource: r.RunsPerSource, MaxBytes: int64(r.MaxMB) << 20}
	if r.Days > 0 {
		p.Before = now.AddDate(0, 0, -r.Days)
	}
	return p
}

// IsZero reports whether there are no limits.
func (r Retention) IsZero() bool { return r == Retention{} }

// Clean removes the data that the mode names. With CleanPrune it removes runs older than the given number of days; 0
// means the configured retention. With CleanSource it removes the runs of a source. Errors: invalid when the mode is
// wrong, when the source is missing, or when there is neither a number of days nor a configured retention; not_found
// when the source has no runs.
func (w *Project) Clean(ctx context.Context, mode CleanMode, days int, source string) (Cleaned, error) {
	switch mode {
	case CleanSource:
		return w.cleanSource(ctx, source)
	case CleanData:
		done, err := w.pruneAndCompact(ctx, store.Policy{All: true})
		return cleaned(mode, done, "Cleared all run data. Config and commands preserved."), err
	case CleanPrune:
		retention := w.Config.Retention
		message := "Removed what the retention settings do not keep."
		if days > 0 {
			retention, message = Retention{Days: days}, fmt.Sprintf("Removed data older than %d days.", days)
		}
		if days == 1 {
			message = "Removed data older than a day."
		}
		if retention.IsZero() {
			return Cleaned{}, store.Next(store.Errorf(store.Invalid, "pruning needs an age, or retention settings in %s",
				filepath.Join(w.Dir, ConfigName)), store.NewCall("clean", "", "mode", "prune", "days", 30, "confirm", true))
		}
		done, err := w.pruneAndCompact(ctx, retention.Policy(time.Now()))
		return cleaned(mode, done, message), err
	}
	return Cleaned{}, badMode(mode)
}

// cleanSource removes the runs of a source.
func (w *Project) cleanSource(ctx context.Context, source string) (Cleaned, error) {
	if source == "" {
		return Cleaned{}, store.Next(store.Errorf(store.Invalid, "which source is to be removed is not said"),
			store.NewCall("status", "lists the sources"))
	}
	runs, err := w.Store.Runs(ctx, store.Everything(), store.RunFilter{Source: source, Limit: 1})
	if err == nil && len(runs) == 0 {
		err = store.Next(store.Errorf(store.NotFound, "no runs of %q", source), store.NewCall("status", "lists the sources"))
	}
	if err != nil {
		return Cleaned{}, err
	}
	done, err := w.pruneAndCompact(ctx, store.Policy{All: true, Source: source})
	return cleaned(CleanSource, done, fmt.Sprintf("Removed the runs of %s.", source)), err
}

func cleaned(mode CleanMode, p store.Pruned, message string) Cleaned {
	return Cleaned{message, mode, &p}
}

func badMode(mode CleanMode) error {
	return store.Next(store.Errorf(store.Invalid, "no clean mode %q", mode),
		store.NewCall("clean", "or source, prune, schema, full", "mode", "data", "confirm", true))
}

// Reset recreates the database (CleanSchema) or the whole folder (CleanFull). It works even if the database cannot be
// opened. Errors: not_found when there is no folder, conflict when a run is being recorded there, or when CleanFull
// finds files that are not blq's.
func Reset(ctx context.Context, dir string, mode CleanMode) (Cleaned, error) {
	if mode != CleanSchema && mode != CleanFull {
		return Cleaned{}, badMode(mode)
	}
	if !isDir(dir) {
		return Cleaned{},
			store.Next(store.Errorf(store.NotFound, "no %s folder to clean", DirName), store.NewCall("init", ""))
	}
	if live, err := anyLive(dir); err != nil {
		return Cleaned{}, err
	} else if live {
		return Cleaned{}, Busy(dir)
	}
	if err := reset(dir, mode); err != nil {
		return Cleaned{}, err
	}
	for _, place := range missedPlaces(dir)[1:] {
		os.RemoveAll(place) // notes outside of the folder; if this fails, the runs are recorded later
	}
	message := "Recreated the database. Config and commands preserved."
	if mode == CleanFull {
		message = "Recreated the " + DirName + " folder."
	}
	w, err := Open(ctx, dir)
	if err != nil {
		return Cleaned{}, err
	}
	return Cleaned{Message: message, Mode: mode}, w.Close()
}

// Busy returns the conflict error for a folder that cannot be recreated, because a run is being recorded.
func Busy(dir string) error {
	return store.Next(store.Errorf(store.Conflict, "a run is being recorded in %s", dir),
		store.NewCall("status", "shows it; try again when it is over"))
}

// reset removes the data that the mode names, and recreates the folder.
func reset(dir string, mode CleanMode) error {
	remove := []string{"blq.db", "blq.db-wal", "blq.db-shm", "blobs", "live", "facts", missedDir}
	if mode == CleanFull {
		remove = append(remove, ConfigName, ConfigName+".lock", ".gitignore")
		if err := onlyOurs(dir, remove); err != nil {
			return err
		}
	}
	for _, name := range remove {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return unwritable(dir, err)
		}
	}
	return fill(dir)
}

// onlyOurs checks that a folder contains only the given names. Errors: conflict when the folder contains anything
// else, because the folder may not be a .lq folder.
func onlyOurs(dir string, names []string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return unwritable(dir, err)
	}
	for _, f := range files {
		if !slices.Contains(names, f.Name()) {
			return store.Next(store.Errorf(store.Conflict, "%s holds a file that is not blq's: %s", dir, f.Name()),
				store.Shell{Line: "ls -la " + shellword.Quote(dir)})
		}
	}
	return nil
}
