package deliveries_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/deliveries"
	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/internal/queue"
	"github.com/blq-ci/blq/store"
)

// post posts a note on pull request 7 while the queue is running.
func (p *place) post(author, text string, change ...func(*store.Note)) (deliveries.Posted, error) {
	p.Helper()
	n := store.Note{Repo: shop, PR: 7, Author: author, Text: text}
	for _, c := range change {
		c(&n)
	}
	done := make(chan struct{})
	var worker sync.WaitGroup
	worker.Go(func() {
		for {
			queue.New(p.queue.Config).Run(p.Context())
			select {
			case <-done:
				return
			default:
			}
		}
	})
	posted, err := p.work.Post(p.Context(), p.queue, n)
	close(done)
	worker.Wait()
	return posted, err
}

// posted posts a note, which must succeed, and returns the comment.
func (p *place) posted(author, text string, change ...func(*store.Note)) string {
	p.Helper()
	got, err := p.post(author, text, change...)
	check(p.TB, err)
	all := p.github.Comments(shop, 7)
	if got.State != store.PostDone || len(all) != 1 || !strings.Contains(got.URL, "/pull/7#issuecomment-") {
		p.Fatalf("%+v, %+v", got.Posting, all)
	}
	return all[0].Body
}

// A note stays under the headline of the single comment after further jobs have ended. Each author has one note.
func TestANoteIsInTheOneComment(t *testing.T) {
	onEach(t, func(p *place) {
		p.github.AddPull(shop, githubtest.Pull{Number: 7, HeadSHA: head})
		first := p.posted("token:a", "nothing ran yet")
		p.contains(first, "### No runs of this commit are known yet\n\nNote of `token:a`, ", "nothing ran yet")
		p.ofPull(failed(10, "build"), failed(11, "test"))
		p.jobEnded(10)
		second := p.posted("token:b", "the cache\nis cold")
		p.contains(second, "### ❌ 1 ", "```text\nthe cache\nis cold\n```", "nothing ran yet", "a.c")
		p.jobEnded(11)
		third := p.posted("token:a", "now it did")
		p.contains(third, "the cache", "now it did", "test")
		if strings.Contains(third, "nothing ran yet") ||
			strings.Index(third, "now it did") > strings.Index(third, "the cache") {
			p.Errorf("%s", third)
		}
		p.now = p.now.Add(time.Minute) // an edit would have this time
		if again := p.posted("token:a", "now it did"); again != third {
			p.Errorf("%s", again)
		}
		if gone := p.posted("token:a", ""); strings.Contains(gone, "now it did") || !strings.Contains(gone, "the cache") {
			p.Errorf("%s", gone)
		}
		p.same(p.dead(), []string(nil))
	})
}

// The newest note decides the form of the report. If the service makes no check runs by itself, the note also decides
// whether there is a check run.
func TestTheCallerChoosesTheForm(t *testing.T) {
	onEach(t, func(p *place) {
		p.checks = deliveries.NoChecks
		p.restart()
		p.github.AddPull(shop, githubtest.Pull{Number: 7, HeadSHA: head})
		p.ofPull(failed(10, "build"))
		p.jobEnded(10)
		as := func(format string, check bool) func(*store.Note) {
			return func(n *store.Note) { n.Format, n.Check = format, check }
		}
		brief, usual := p.posted("token:a", "x", as("brief", false)), p.posted("token:a", "x", as("", false))
		p.same(len(p.github.Checks(shop)), 0)
		detailed := p.posted("token:b", "y", as("detailed", true))
		if len(brief) > len(usual) || len(usual) >= len(detailed) || !strings.Contains(detailed, "Errors by file") {
			p.Errorf("%s\n%s\n%s", brief, usual, detailed)
		}
		if checks := p.github.Checks(shop); len(checks) != 1 || checks[0].Conclusion != "neutral" {
			p.Errorf("%+v", checks)
		}
	})
}

// Each refusal of GitHub gives a fixed answer. After a temporary refusal, the post is retried and the comment appears.
func TestRefusalsOfGitHubHaveOneAnswer(t *testing.T) {
	t.Parallel()
	const pull, comments = "GET /repos/acme/shop/pulls/7", "POST /repos/acme/shop/issues/7/comments"
	for name, tt := range map[string]struct {
		at    string
		fault http.Handler
		do    func(p *place)
		state store.PostState
		why   string
		dead  bool
		later bool // the comment appears later
	}{
		"403": {at: comments, fault: githubtest.Broken(403), state: store.PostRefused, why: "may not write comments",
			dead: true},
		"404": {at: pull, fault: githubtest.Broken(404), state: store.PostGone},
		"410": {at: comments, fault: githubtest.Broken(410), state: store.PostGone},
		"422": {at: comments, fault: githubtest.Broken(422), state: store.PostRefused, why: "422", dead: true},
		"429": {at: comments, fault: githubtest.TooMany(20), state: store.PostWaiting, why: "too many",
			later: true},
		"502":            {at: comments, fault: githubtest.Broken(502), state: store.PostWaiting, why: "502", later: true},
		"secondary rate": {at: pull, fault: githubtest.Secondary(), state: store.PostWaiting, why: "too many", later: true},
		"locked":         {do: func(p *place) { p.github.Lock(shop, 7) }, state: store.PostLocked},
		"closed": {do: func(p *place) { p.github.ChangePull(shop, 7, func(q *githubtest.Pull) { q.State = "closed" }) },
			state: store.PostClosed},
		"kept by a job": {do: func(p *place) {
			p.github.AddComment(shop, 7, "github-actions[bot]", "<!-- blq:report:e3b0c44298fc "+head+" -->\nof a job")
		}, state: store.PostLeft},
	} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(p *place) {
				p.github.AddPull(shop, githubtest.Pull{Number: 7, HeadSHA: head})
				if tt.do != nil {
					tt.do(p)
				} else {
					p.github.Fault(tt.at, 1, tt.fault)
				}
				got, err := p.post("token:a", "x")
				check(p.TB, err)
				if got.State != tt.state || !strings.Contains(got.Why, tt.why) {
					p.Errorf("%+v", got.Posting)
				}
				p.same(len(p.dead()) > 0, tt.dead)
				p.drain()
				p.same(strings.Contains(fmt.Sprint(p.github.Comments(shop, 7)), "Note of"), tt.later)
				if tt.later {
					p.contains(p.posted("token:a", "x"), "Note of `token:a`")
				}
			})
		})
	}
}

// A comment that somebody deletes while the service edits it is written again.
func TestADeletedCommentIsWrittenAgain(t *testing.T) {
	onEach(t, func(p *place) {
		p.github.AddPull(shop, githubtest.Pull{Number: 7, HeadSHA: head})
		p.posted("token:a", "x")
		p.github.Fault("PATCH /repos/acme/shop/issues/comments/", 1, githubtest.Broken(404))
		got, err := p.post("token:a", "y")
		check(p.TB, err)
		p.same(got.State, store.PostWaiting)
		p.drain()
		p.contains(p.github.Comments(shop, 7)[0].Body, "y")
		p.contains(p.posted("token:a", "y"), "Note of `token:a`")
	})
}

// Callers that post at the same time, each with a queue of its own, leave one comment with all of their notes.
func TestManyCallersLeaveOneComment(t *testing.T) {
	onEach(t, func(p *place) {
		p.github.AddPull(shop, githubtest.Pull{Number: 7, HeadSHA: head})
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				if got, err := p.post(fmt.Sprint("token:", i), fmt.Sprint("note ", i)); err != nil || got.State != store.PostDone {
					p.Errorf("%+v, %v", got.Posting, err)
				}
			})
		}
		all.Wait()
		comments := p.github.Comments(shop, 7)
		if len(comments) != 1 || strings.Count(comments[0].Body, "Note of") != 8 {
			p.Errorf("%+v", comments)
		}
		p.same(p.dead(), []string(nil))
	})
}

// For a repository that is not enrolled, the error is NotFound. For an enrolled repository without the app, the error
// says that the app is not installed.
func TestOnlyRepositoriesOfTheAppHaveNotes(t *testing.T) {
	onEach(t, func(p *place) {
		elsewhere := func(n *store.Note) { n.Repo = "acme/web" }
		if _, err := p.post("token:a", "x", elsewhere); store.CodeOf(err) != store.NotFound {
			p.Error(err)
		}
		p.github.Repo("acme/web", 2)
		p.enrol("acme/web", 2)
		if _, err := p.post("token:a", "x", elsewhere); store.CodeOf(err) != store.Unavailable ||
			!strings.Contains(err.Error(), "not installed on acme/web") {
			p.Error(err)
		}
		p.same(p.dead(), []string(nil))
	})
}
