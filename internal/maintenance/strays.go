package maintenance

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/store"
)

// safe is the age below which no object is deleted, because a client may still continue an interrupted upload. strays
// examines objects of runs that are older than safe and younger than settled.
const (
	safe    = 7 * 24 * time.Hour
	settled = 4 * safe
)

// folders is the number of folders for log keys, see chunk.Key.
const folders = 256

// prefixes are the key prefixes of logs, of facts, and of fetched documentation.
var prefixes = []string{"logs/", facts.Folder, facts.SourcesFolder}

// strays deletes objects without references that are too old to belong to an upload. Such objects remain if a client or
// a server crashes after an object was stored and before its chunk was added.
//
// Each call examines a part of the objects. The current time determines the part, and within a day the calls examine
// all parts. The calls skip objects of old runs, which were examined on earlier days. Missing objects with references
// are logged and counted.
func (u *Upkeep) strays(ctx context.Context, r *Round) error {
	per := max(1, int(seldom*folders/(24*time.Hour))+1)
	first := int(u.Now().Unix() / int64(seldom/time.Second) * int64(per) % folders)
	for i := range min(per, folders) {
		for _, prefix := range prefixes {
			removed, missing, err := u.straysOf(ctx, fmt.Sprintf("%s%02x/", prefix, (first+i)%folders), settled)
			r.Objects, r.Missing = r.Objects+removed, r.Missing+missing
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// AllStrays deletes all objects of logs, facts and documentation that have no references and are too old to belong to
// an upload. It returns their number, and the number of objects that have references but do not exist.
func (u *Upkeep) AllStrays(ctx context.Context) (deleted, missing int, err error) {
	for i := range folders {
		for _, prefix := range prefixes {
			d, m, err := u.straysOf(ctx, fmt.Sprintf("%s%02x/", prefix, i), 0)
			deleted, missing = deleted+d, missing+m
			if err != nil {
				return deleted, missing, err
			}
		}
	}
	return deleted, missing, nil
}

// straysOf deletes the strays in a folder that are older than safe. If maxAge is not 0, it deletes only strays that are
// also younger than maxAge. It returns the number of deleted strays, and the number of objects that belong to the
// folder but do not exist.
func (u *Upkeep) straysOf(ctx context.Context, prefix string, maxAge time.Duration) (deleted, missing int, err error) {
	for after, more := "", true; more; {
		keys, err := u.Blobs.List(ctx, prefix, after, u.page)
		if err != nil {
			return deleted, missing, err
		}
		page := span{prefix, after, ""}
		if more = len(keys) == u.page; more {
			after = keys[len(keys)-1]
			page.last = after
		}
		m, err := u.missing(ctx, page, keys)
		missing += m
		if err != nil {
			return deleted, missing, err
		}
		d, err := u.deleteStrays(ctx, keys, maxAge)
		deleted += d
		if err != nil {
			return deleted, missing, err
		}
	}
	return deleted, missing, nil
}

// span is a range of keys in a folder. The field after is a key: the range begins with the next key. The field last is
// the last key of the range. If last is empty, the range ends with the folder.
type span struct {
	folder, after, last string
}

// deleteStrays deletes the strays among the given keys, and returns the number of deleted strays.
func (u *Upkeep) deleteStrays(ctx context.Context, keys []string, below time.Duration) (int, error) {
	n := 0
	for len(keys) > 0 {
		attempt := attemptOf(keys[0])
		end := slices.IndexFunc(keys, func(k string) bool { return attemptOf(k) != attempt })
		if end < 0 {
			end = len(keys)
		}
		if age, ok := u.age(attempt); ok && age >= safe && (below == 0 || age < below) {
			removed, err := u.straysOfRun(ctx, attempt, keys[:end])
			n += removed
			if err != nil {
				return n, err
			}
		}
		keys = keys[end:]
	}
	return n, nil
}

func (u *Upkeep) straysOfRun(ctx context.Context, attempt string, keys []string) (int, error) {
	if !strings.HasPrefix(keys[0], prefixes[0]) {
		return u.straysOfFacts(ctx, keys)
	}
	runs, err := u.Store.Runs(ctx, store.Everything(), store.RunFilter{Attempts: []string{attempt}})
	if err != nil {
		return 0, err
	}
	used := map[string]bool{}
	for _, r := range runs {
		if r.State != store.StateCompleted || u.Now().Sub(r.FinishedAt) < safe {
			return 0, nil // a client may add more objects
		}
		for _, stream := range []string{store.StreamCombined, store.StreamStdout, store.StreamStderr} {
			chunks, err := u.Store.Chunks(ctx, store.Everything(), attempt, stream, 0, 0)
			if err != nil {
				return 0, err
			}
			for _, c := range chunks {
				used[c.Key] = true
			}
		}
	}
	n := 0
	for _, k := range keys {
		if used[k] {
			continue
		}
		if err := u.Blobs.Delete(ctx, k); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// straysOfFacts deletes the given objects that no repository uses any more, and returns their number.
func (u *Upkeep) straysOfFacts(ctx context.Context, keys []string) (int, error) {
	n := 0
	for _, k := range keys {
		used, err := u.Store.LogObjects(ctx, k, "", 1)
		if err != nil {
			return n, err
		}
		if slices.Contains(used, k) {
			continue
		}
		if err := u.Blobs.Delete(ctx, k); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// attemptOf returns the UUID in an object's key, or "" for other keys. In the key of a log, the UUID is the attempt.
func attemptOf(key string) string {
	parts := strings.Split(key, "/")
	if len(parts) != 4 {
		return ""
	}
	return parts[2]
}

// age returns the age of a UUIDv7. The second result is false for other texts.
func (u *Upkeep) age(attempt string) (time.Duration, bool) {
	digits := strings.ReplaceAll(attempt, "-", "")
	if len(digits) != 32 || digits[12] != '7' {
		return 0, false
	}
	ms, err := strconv.ParseInt(digits[:12], 16, 64)
	return u.Now().Sub(time.UnixMilli(ms)), err == nil
}
