package deliveries_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// A commit of the default branch is compared with the commit before it, in whatever order the ends of the jobs are
// reported.
func TestADefaultBranchIsComparedInTheOrderOfItsRuns(t *testing.T) {
	history := []string{"", "a", "a b", "b", "", "a"} // errors of each commit
	onEach(t, func(p *place) {
		for n, errors := range history {
			run := githubtest.Run{ID: int64(n + 1), HeadSHA: fmt.Sprintf("%040x", n+1), Began: time.Duration(n) * 10 * time.Minute}
			job := shown{errors: strings.Fields(errors)}.logOf(int64(n+1), "linux", 1)
			job.Log = shifted(job.Log, run.Began)
			run.Jobs = []githubtest.Job{job}
			p.github.SetRun(shop, run)
		}
		p.now = githubtest.At.Add(2 * time.Hour)
		for _, n := range []int{2, 5, 1, 4, 6, 3} {
			p.jobEnded(int64(n))
		}
		p.same(p.dead(), []string(nil))
		asker := &query.Asker{Store: p.store, Blobs: p.blobs, Scope: store.Repos(shop)}
		for n, errors := range history {
			want := classes(strings.Fields(errors), strings.Fields(history[max(0, n-1)]), n > 0)
			if got := p.classesOf(asker, fmt.Sprintf("%040x", n+1), "linux", "Build", 1); !slices.Equal(got, want) {
				p.Errorf("commit %d: %q, want %q", n+1, got, want)
			}
		}
	})
}

// shifted returns a log with later times.
func shifted(log string, by time.Duration) string {
	const layout = "2006-01-02T15:04:05.0000000Z"
	var b strings.Builder
	for line := range strings.Lines(strings.TrimPrefix(log, "\ufeff")) {
		at, err := time.Parse(layout, line[:len(layout)])
		if err != nil {
			panic(err)
		}
		b.WriteString(at.Add(by).Format(layout) + line[len(layout):])
	}
	return b.String()
}
