package deliveries_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/blq-ci/blq/internal/deliveries"
	"github.com/blq-ci/blq/internal/github/githubtest"
)

// ofPull creates a workflow run of pull request 7 with these jobs.
func (p *place) ofPull(jobs ...githubtest.Job) {
	p.Helper()
	p.github.SetRun(shop, githubtest.Run{ID: 5, Event: "pull_request", HeadBranch: "feature", HeadSHA: head, Jobs: jobs})
}

// comments returns the first lines of the comments on pull request 7, with their authors.
func (p *place) comments() (list []string) {
	for _, c := range p.github.Comments(shop, 7) {
		_, body, _ := strings.Cut(c.Body, "-->\n")
		first, _, _ := strings.Cut(body, "\n")
		list = append(list, c.Author+": "+first)
	}
	return list
}

func TestThePullRequestHasOneComment(t *testing.T) {
	onEach(t, func(p *place) {
		p.github.AddPull(shop, githubtest.Pull{Number: 7, HeadSHA: head})
		passed := failed(11, "lint")
		passed.Conclusion = "success"
		passed.Steps = passed.Steps[:2]
		p.ofPull(failed(10, "build"), passed)
		for _, job := range []int64{10, 11, 10} {
			p.jobEnded(job)
			p.restart()
		}
		p.same(p.dead(), []string(nil))
		first := p.comments()
		if len(first) != 1 || !strings.HasPrefix(first[0], "blq[bot]: ") || !strings.Contains(first[0], "1 ") {
			p.Fatalf("%q", first)
		}
		again := failed(12, "build") // the job runs again and passes
		again.Conclusion, again.Attempt = "success", 2
		again.Steps[2].Conclusion = "success"
		again.Log = strings.ReplaceAll(strings.ReplaceAll(again.Log, compiled, "ok"), "exit code 2", "exit code 0")
		p.ofPull(failed(10, "build"), passed, again)
		p.jobEnded(12)
		if last := p.comments(); len(last) != 1 || last[0] == first[0] {
			p.Errorf("%q, after %q", last, first)
		}
	})
}

func TestNoCommentWhereItIsNotOurs(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(p *place){
		"a job keeps one": func(p *place) {
			p.github.AddComment(shop, 7, "github-actions[bot]", "<!-- blq:report:e3b0c44298fc "+head+" -->\nof a job")
		},
		"locked":   func(p *place) { p.github.Lock(shop, 7) },
		"vanished": func(p *place) { p.github.Fault("GET /repos/acme/shop/pulls/7", 1, githubtest.Broken(410)) },
	} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(p *place) {
				p.github.AddPull(shop, githubtest.Pull{Number: 7, HeadSHA: head})
				prepare(p)
				had := len(p.comments())
				p.ofPull(failed(10, "build"))
				p.jobEnded(10)
				p.same(len(p.comments()), had)
				p.same(p.dead(), []string(nil))
			})
		})
	}
}

func TestACommitHasACheckRun(t *testing.T) {
	t.Parallel()
	for mode, want := range map[deliveries.Checks]string{deliveries.ChecksNever: "neutral",
		deliveries.ChecksOnErrors: "failure", deliveries.ChecksNewErrors: "failure"} {
		t.Run(string(mode), func(t *testing.T) {
			onEach(t, func(p *place) {
				p.github.AddPull(shop, githubtest.Pull{Number: 7, HeadSHA: head})
				p.checks = mode
				p.restart()
				open := failed(11, "test")
				open.Status, open.Conclusion = "in_progress", ""
				p.ofPull(failed(10, "build"), open)
				p.jobEnded(10)
				checks := p.github.Checks(shop)
				if len(checks) != 1 || checks[0].Status != "in_progress" || len(checks[0].Annotations) > 0 {
					p.Fatalf("%+v", checks)
				}
				p.ofPull(failed(10, "build"), failed(11, "test"))
				for range 2 {
					p.jobEnded(11)
				}
				checks = p.github.Checks(shop)
				if len(checks) != 1 || checks[0].Conclusion != want || checks[0].SHA != head || checks[0].App != "blq[bot]" {
					p.Fatalf("%+v", checks)
				}
				var notes []string
				for _, a := range checks[0].Annotations {
					notes = append(notes, fmt.Sprintf("%s:%d %s %s", a.Path, a.StartLine, a.Level, a.Message))
				}
				p.contains(checks[0].DetailsURL, "https://blq.example.com/ui/acme/shop@Build-check:")
				for _, a := range checks[0].Annotations {
					p.contains(a.Details, "https://blq.example.com/ui/acme/shop@", ":1")
				}
				p.same(notes, []string{"a.c:3 failure 'x' undeclared", "a.c:3 failure 'x' undeclared"})
				p.same(p.dead(), []string(nil))
			})
		})
	}
}

// A new failure on the default branch is sent once to each receiver: to a webhook, which checks the signature, and to
// Slack. A receiver that is busy gets the failure later.
func TestNewFailuresOfTheDefaultBranchAreTold(t *testing.T) {
	onEach(t, func(p *place) {
		var mu sync.Mutex
		var got []string
		receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			mac := hmac.New(sha256.New, []byte("s3cret"))
			mac.Write(body)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil || r.URL.Path == "/hook" &&
				r.Header.Get("X-Blq-Signature-256") != "sha256="+hex.EncodeToString(mac.Sum(nil)):
				w.WriteHeader(http.StatusUnauthorized)
				return
			case len(got) == 0:
				got = append(got, "busy")
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			got = append(got, r.URL.Path+" "+string(body))
		}))
		p.Cleanup(receiver.Close)
		p.notify = deliveries.Notify{Hook: p.sender(receiver.URL+"/hook", "s3cret"),
			Slack: p.sender(receiver.URL+"/slack", "")}
		p.restart()
		p.passed()
		for run := int64(2); run < 4; run++ { // the second run has the same failure
			broken := failed(10+run, "build")
			broken.Log = strings.ReplaceAll(broken.Log, "undeclared", "<!channel> undeclared")
			p.github.SetRun(shop, githubtest.Run{ID: run, HeadSHA: strings.Repeat(fmt.Sprint(run), 40),
				Jobs: []githubtest.Job{broken}})
			p.jobEnded(10 + run)
		}
		p.same(p.dead(), []string(nil))
		if len(got) != 3 {
			p.Fatalf("%q", got)
		}
		for _, text := range got[1:] {
			if !strings.Contains(text, "acme/shop@Build-check:2") || strings.Contains(text, "<!channel>") {
				p.Errorf("%s", text)
			}
		}
	})
}

// passed ends a successful job of the first commit, job 10.
func (p *place) passed() {
	p.Helper()
	job := failed(10, "build")
	job.Conclusion, job.Steps[2].Conclusion = "success", "success"
	job.Log = strings.ReplaceAll(strings.ReplaceAll(job.Log, compiled, "ok"), "exit code 2", "exit code 0")
	p.github.SetRun(shop, githubtest.Run{ID: 1, HeadSHA: strings.Repeat("1", 40), Jobs: []githubtest.Job{job}})
	p.jobEnded(10)
}

// A check run that GitHub refuses is a dead letter of its own. The comment, the state of notes and the notifications do
// not depend on it.
func TestARefusedCheckRunHoldsBackNothingElse(t *testing.T) {
	onEach(t, func(p *place) {
		var posts atomic.Int64
		receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { posts.Add(1) }))
		p.Cleanup(receiver.Close)
		p.checks, p.notify = deliveries.ChecksOnErrors, deliveries.Notify{Hook: p.sender(receiver.URL, "s3cret")}
		p.restart()
		p.passed()
		p.github.Fault("POST /repos/acme/shop/check-runs", 100, githubtest.Broken(http.StatusForbidden))
		p.github.SetRun(shop, githubtest.Run{ID: 2, HeadSHA: strings.Repeat("2", 40),
			Jobs: []githubtest.Job{failed(12, "build")}})
		p.jobEnded(12)
		p.same(posts.Load(), int64(1))
		p.github.AddPull(shop, githubtest.Pull{Number: 7, HeadSHA: head})
		p.ofPull(failed(20, "build"))
		p.jobEnded(20)
		p.contains(p.posted("token:a", "x"), "Note of `token:a`")
		p.drain()
		p.contains(p.posted("token:a", "x"), "Note of `token:a`")
		refused := "check: the token may not write checks of acme/shop: GitHub answers 403 Forbidden"
		p.same(p.dead(), []string{refused, refused})
	})
}

// A check run that fails for a while is written later.
func TestACheckRunIsTriedAgain(t *testing.T) {
	onEach(t, func(p *place) {
		p.checks = deliveries.ChecksOnErrors
		p.restart()
		p.github.AddPull(shop, githubtest.Pull{Number: 7, HeadSHA: head})
		p.ofPull(failed(10, "build"))
		p.github.Fault("POST /repos/acme/shop/check-runs", 1, githubtest.TooMany(20))
		p.github.Fault("POST /repos/acme/shop/check-runs", 2, githubtest.Broken(http.StatusBadGateway))
		p.jobEnded(10)
		p.drain()
		p.same(len(p.github.Checks(shop)), 1)
		p.same(p.dead(), []string(nil))
	})
}
