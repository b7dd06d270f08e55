package comment_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/blq-ci/blq/action/comment"
	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/store"
)

const (
	shop   = "acme/shop"
	number = 7
)

var (
	head   = strings.Repeat("a", 40)
	writes = "pull-requests: write"
)

func newShop(t *testing.T) *githubtest.GitHub {
	g := githubtest.New(t)
	g.Repo(shop, 1296269)
	g.AddPull(shop, githubtest.Pull{Number: number, HeadSHA: head})
	return g
}

func client(t *testing.T, g *githubtest.GitHub, token string) *github.Client {
	t.Helper()
	c, err := github.New(github.Config{API: g.URL, Token: token, Patience: -1})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func note(body string) comment.Note {
	return comment.Note{Repo: shop, PR: number, Commit: head, Body: body}
}

func keep(t *testing.T, f comment.Forge, n comment.Note, want comment.Outcome) string {
	t.Helper()
	got, url, err := comment.Keep(t.Context(), f, n)
	if err != nil || got != want {
		t.Fatalf("%s, %v; want %s", got, err, want)
	}
	return url
}

func TestOneCommentIsMadeAndThenEdited(t *testing.T) {
	t.Parallel()
	g := newShop(t)
	for i := range 250 { // puts our comment on page three
		g.AddComment(shop, number, "octocat", fmt.Sprintf("comment %d", i))
	}
	c := client(t, g, g.Job(shop, writes))
	url := keep(t, c, note("❌ 4 failed"), comment.Created)
	keep(t, c, note("❌ 4 failed"), comment.Unchanged)
	if edited := keep(t, c, note("✅ all passed\r\n"), comment.Edited); edited != url || url == "" {
		t.Errorf("%s became %s", url, edited)
	}
	keep(t, c, note("✅ all passed"), comment.Unchanged)
	all := g.Comments(shop, number)
	if last := all[len(all)-1]; len(all) != 251 || !strings.HasSuffix(last.Body, "-->\n✅ all passed\r\n") {
		t.Errorf("%d comments, the last %q", len(all), last.Body)
	}
}

// GitHub's list of comments may not have a new comment yet. A second look must not create the comment again.
func TestAListThatIsBehindMakesNoSecondComment(t *testing.T) {
	t.Parallel()
	g := newShop(t)
	g.Fault("GET /repos/acme/shop/issues/7/comments", 9, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = w.Write([]byte("[]"))
	}))
	n := note("❌ 4 failed")
	n.Settle = func(context.Context) error { return nil }
	if url := keep(t, client(t, g, g.Job(shop, writes)), n, comment.Created); len(g.Comments(shop, number)) != 1 || url == "" {
		t.Errorf("%d comments", len(g.Comments(shop, number)))
	}
}

func TestOthersCommentsAreLeftAlone(t *testing.T) {
	t.Parallel()
	g := newShop(t)
	c := client(t, g, g.Job(shop, writes))
	keep(t, c, note("first"), comment.Created)
	copied := g.Comments(shop, number)[0].Body
	g.AddComment(shop, number, "mallory", copied)               // a person who copied the mark
	g.AddComment(shop, number, "octocat", "> "+copied+"\nwhy?") // a quotation
	person := client(t, g, g.Token("octocat"))
	g.Writers(shop, "octocat")
	keep(t, person, note("mine"), comment.Created) // a person does not write as the job either
	keep(t, c, note("second"), comment.Edited)
	var bodies []string
	for _, m := range g.Comments(shop, number) {
		_, body, _ := strings.Cut(m.Body, "-->\n")
		bodies = append(bodies, m.Author+": "+strings.TrimSpace(body))
	}
	want := "github-actions[bot]: second|mallory: first|octocat: first\nwhy?|octocat: mine"
	if got := strings.Join(bodies, "|"); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestJobsAtATimeLeaveOneComment(t *testing.T) {
	t.Parallel()
	g := newShop(t)
	var jobs sync.WaitGroup
	for range 8 {
		jobs.Go(func() {
			c := client(t, g, g.Job(shop, writes))
			if _, _, err := comment.Keep(t.Context(), c, note("the same")); err != nil && store.CodeOf(err) != store.NotFound {
				t.Error(err)
			}
		})
	}
	jobs.Wait()
	keep(t, client(t, g, g.Job(shop, writes)), note("the last"), comment.Edited)
	if all := g.Comments(shop, number); len(all) != 1 || !strings.HasSuffix(all[0].Body, "the last") {
		t.Errorf("%+v", all)
	}
}

func TestTopicsHaveTheirOwnComments(t *testing.T) {
	t.Parallel()
	g := newShop(t)
	c := client(t, g, g.Job(shop, writes))
	for _, topic := range []string{"", "CI", "Nightly --> <b>"} {
		n := note("of " + topic)
		n.Topic = topic
		keep(t, c, n, comment.Created)
		keep(t, c, n, comment.Unchanged)
	}
	if all := g.Comments(shop, number); len(all) != 3 {
		t.Errorf("%+v", all)
	}
}

func TestNothingIsSaidWhereItDoesNotHelp(t *testing.T) {
	t.Parallel()
	g := newShop(t)
	c := client(t, g, g.Job(shop, writes))
	n := note("✅ all passed")
	n.Quiet = true
	keep(t, c, n, comment.NotNeeded)
	keep(t, c, note("❌ 1 failed"), comment.Created)
	keep(t, c, n, comment.Edited)
	g.Push(shop, number, strings.Repeat("c", 40))
	keep(t, c, note("❌ of an old commit"), comment.Superseded)
	if all := g.Comments(shop, number); len(all) != 1 || !strings.HasSuffix(all[0].Body, "✅ all passed") {
		t.Errorf("%+v", all)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	g := newShop(t)
	long := note(strings.Repeat("x", github.MaxComment))
	for name, tt := range map[string]struct {
		token string
		note  comment.Note
		code  store.Code
		hint  string
	}{
		"a fork's token": {g.Job(shop, "pull-requests: read"), note("x"), store.Forbidden,
			"permissions: pull-requests: write"},
		"too long":        {g.Job(shop, writes), long, store.TooLarge, ""},
		"no pull request": {g.Job(shop, writes), comment.Note{Repo: shop, PR: 8, Commit: head}, store.NotFound, ""},
		"another repository": {g.Job(shop, writes), comment.Note{Repo: "acme/secret", PR: 7, Commit: head},
			store.NotFound, ""},
	} {
		_, _, err := comment.Keep(t.Context(), client(t, g, tt.token), tt.note)
		if store.CodeOf(err) != tt.code || !strings.Contains(cmdline.Of(store.NextOf(err)), tt.hint) {
			t.Errorf("%s: %v (%s)", name, err, cmdline.Of(store.NextOf(err)))
		}
	}
	if largest := note(strings.Repeat("ä", comment.MaxBody)); keep(t, client(t, g, g.Job(shop, writes)), largest,
		comment.Created) == "" {
		t.Error("the longest note has no address")
	}
}
