package deliveries_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/blq-ci/blq/internal/deliveries"
	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/store"
)

// withErrors returns a failed job whose log has many errors.
func withErrors(id int64, n int) githubtest.Job {
	job := failed(id, "build")
	line := job.Log[strings.Index(job.Log, compiled)-29:]
	line = line[:strings.IndexByte(line, '\n')+1]
	var lines strings.Builder
	for i := range n {
		lines.WriteString(strings.ReplaceAll(strings.ReplaceAll(line, "'x'", fmt.Sprintf("'x%d'", i)), "a.c",
			fmt.Sprintf("a%d.c", i)))
	}
	job.Log = strings.Replace(job.Log, line, lines.String(), 1)
	return job
}

// Events beyond the limit are missing, and the run says how many.
func TestARunSaysWhichEventsAreMissing(t *testing.T) {
	onEach(t, func(p *place) {
		p.maxEvents = 5
		p.restart()
		p.github.SetRun(shop, githubtest.Run{ID: 5, HeadSHA: head, Jobs: []githubtest.Job{withErrors(10, 8)}})
		p.jobEnded(10)
		run, err := p.store.Run(p.Context(), store.Repos(shop), store.Ref{Repo: shop, Serial: 1})
		check(p.TB, err)
		p.same([]any{run.Errors, run.Lost}, []any{5, "3 events beyond the first 5"})
	})
}

// An archive is not unpacked beyond the limit of a log, and the run says so.
func TestTheBeginningOfALongArchiveIsRead(t *testing.T) {
	onEach(t, func(p *place) {
		text := failed(10, "build").Log
		text = text[strings.Index(text, "##[group]Run make")-29 : strings.Index(text, "Cleaning")-29]
		text += strings.Repeat(text[strings.Index(text, compiled)-29:], 1000) // much less in compressed form
		for id, tt := range []struct {
			max  int
			lost string
		}{{len(text) - 1, "the log of the job is longer than what is read of it"}, {len(text), ""}} {
			p.maxLog = int64(tt.max)
			p.restart()
			job := failed(int64(10+id), "build")
			job.Log, job.Files = "", map[string]string{"3_Build & check.txt": text}
			p.github.SetRun(shop, githubtest.Run{ID: int64(5 + id), HeadSHA: head, Jobs: []githubtest.Job{job}})
			p.jobEnded(job.ID)
			run, err := p.store.Run(p.Context(), store.Repos(shop), store.Ref{Repo: shop, Serial: 1 + id})
			check(p.TB, err)
			p.same(run.Lost, tt.lost)
		}
	})
}

// Twenty failures have separate notifications. The number of further failures is sent once.
func TestTheNumberOfFurtherFailuresIsTold(t *testing.T) {
	onEach(t, func(p *place) {
		var mu sync.Mutex
		var got []string
		receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			mu.Lock()
			defer mu.Unlock()
			got = append(got, string(body))
		}))
		p.Cleanup(receiver.Close)
		p.notify = deliveries.Notify{Slack: p.sender(receiver.URL, "")}
		p.restart()
		p.passed()
		p.github.SetRun(shop, githubtest.Run{ID: 2, HeadSHA: strings.Repeat("2", 40),
			Jobs: []githubtest.Job{withErrors(11, 23)}})
		for range 2 {
			p.jobEnded(11)
		}
		p.same(p.dead(), []string(nil))
		all := strings.Join(got, "\n")
		if len(got) != 21 || strings.Count(all, "3 more new failures on main of acme/shop at commit 222222222") != 1 {
			p.Errorf("%d: %s", len(got), all)
		}
	})
}
