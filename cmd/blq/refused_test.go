//go:build unix

package main

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/ingest"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/sqlite"
)

// loud prints a log in two pieces (more on a slow machine) with 1,100 errors.
const loud = `x=$(printf %1200s x); for n in $(seq 1100); do echo "a.c:$n:1: error: no $n $x"; done; exit 3`

// oneDay is a store in which everything was counted today, and the next day begins in an hour. So no test depends on
// the time of day.
type oneDay struct{ store.Store }

func (o oneDay) Usage(ctx context.Context, repo string) (of, owner store.Usage, err error) {
	of, owner, err = o.Store.Usage(ctx, repo)
	for _, u := range []*store.Usage{&of, &owner} {
		u.DayRuns, u.DayEvents, u.DayLeft = u.Runs, u.Events, time.Hour
	}
	return of, owner, err
}

func TestAServerThatRefusesAPartGetsTheEndOfTheRun(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		set   func(*ingest.Config)
		lost  string // a regular expression
		whole bool   // push leaves the run open
	}{
		"the log of a run": {func(c *ingest.Config) { c.Limits.RunBytes = 1 << 19 },
			`part of the log: the service took \d+ of \d+ pieces: a run's log has at most 524288 bytes`, false},
		"the events of a run": {func(c *ingest.Config) { c.Limits.RunEvents = 1000 },
			"part of the events: the service took the first 1000 events: a run has at most 1000 events", false},
		"the quota of storage": {func(c *ingest.Config) { c.Quotas.Repo.Bytes = 100 << 10 }, "part of the", true},
		"the events of a day":  {func(c *ingest.Config) { c.Quotas.Repo.Events = 1050 }, "part of the events", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st, err := sqlite.Open(context.Background(), filepath.Join(t.TempDir(), "blq.db"))
			if err != nil {
				t.Fatal(err)
			}
			far, dir := newServiceOf(t, oneDay{st}, nil, nil, tt.set), t.TempDir()
			out, _ := printed(t, to(blq(dir, "run", "-q", "-n", "build", "--remote", "--", "sh", "-c", loud), far.URL))
			if strings.Count(out, "the server only a part: ") != 1 {
				t.Errorf("it does not say once what was refused:\n%s", out)
			}
			r := far.runs(t)[0]
			if r.State != store.StateCompleted || *r.ExitCode != 3 || !regexp.MustCompile("^"+tt.lost).MatchString(r.Lost) {
				t.Errorf("there: %+v", r)
			}
			chunks, err := st.Chunks(t.Context(), store.Everything(), r.Attempt, store.StreamCombined, 1, 0)
			var lines int
			for i, c := range chunks {
				if lines += c.Lines; c.Sequence != i {
					t.Errorf("chunk %d is number %d", i, c.Sequence)
				}
			}
			if err != nil || r.Lines != lines {
				t.Errorf("%d lines, the chunks have %d, %v", r.Lines, lines, err)
			}
			if strings.Contains(tt.lost, "events") && r.Lines != 1100 {
				t.Errorf("%d lines of the log are there", r.Lines)
			}
			printed(t, blq(dir, "run", "-q", "-n", "test", "--", "sh", "-c", loud))
			out, code := printed(t, to(blq(dir, "push"), far.URL))
			again := far.runs(t)[0]
			if open := again.State != store.StateCompleted; again.Source == "build" != tt.whole && open != tt.whole ||
				(code != 0) != tt.whole {
				t.Errorf("pushed: exit %d, %s\n%s", code, fmt.Sprint(again), out)
			}
		})
	}
}
