package github_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/store"
)

const seconds = time.Second

func TestLimitsAreWaitedFor(t *testing.T) {
	for name, tt := range map[string]struct {
		fault  http.Handler
		waited []time.Duration
	}{
		"429":              {githubtest.TooMany(3), []time.Duration{3 * seconds, 3 * seconds}},
		"403, reset":       {githubtest.Exhausted(now.Add(12 * seconds)), []time.Duration{12 * seconds, 12 * seconds}},
		"403, secondary":   {githubtest.Secondary(), []time.Duration{60 * seconds, 60 * seconds}},
		"429, in the past": {githubtest.Exhausted(now.Add(-seconds)), []time.Duration{seconds, seconds}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			c := p.client(
				github.Config{API: p.github.URL, Token: p.github.Job(shop, "pull-requests: write"), Patience: 3 * time.Minute})
			p.github.Fault("POST ", 2, tt.fault)
			_, err := c.CreateComment(t.Context(), shop, 7, "x")
			check(t, err)
			if !slices.Equal(p.waited, tt.waited) {
				t.Errorf("waited %v, want %v", p.waited, tt.waited)
			}
			if n := len(p.github.Comments(shop, 7)); n != 1 {
				t.Errorf("%d comments", n)
			}
		})
	}
}

func TestPatienceEnds(t *testing.T) {
	p := newPlace(t, "pull-requests: write")
	p.github.Fault("POST ", 9, githubtest.TooMany(40))
	_, err := p.CreateComment(t.Context(), shop, 7, "x")
	refused(t, err, store.RateLimited, "too many requests")
	if after, ok := store.RetryAfter(err); !ok || after != 40*seconds || len(p.waited) != 0 {
		t.Errorf("after %v, waited %v", after, p.waited)
	}
	p.github.Fault("GET ", 9, githubtest.TooMany(1))
	_, err = p.Comments(t.Context(), shop, 7)
	refused(t, err, store.RateLimited)
	if len(p.waited) != 3 {
		t.Errorf("tried again %d times", len(p.waited))
	}
}

func TestOnlyWhatDoesNoHarmTwiceIsSentAgain(t *testing.T) {
	p := newPlace(t, "pull-requests: write")
	p.github.Fault("POST ", 1, githubtest.Broken(502))
	_, err := p.CreateComment(t.Context(), shop, 7, "x")
	refused(t, err, store.Unavailable, "GitHub answers 502")
	c := p.github.AddComment(shop, 7, "github-actions[bot]", "x")
	for _, begin := range []string{"GET ", "PATCH ", "DELETE "} {
		p.github.Fault(begin, 2, githubtest.Broken(502))
	}
	_, err = p.Comments(t.Context(), shop, 7)
	check(t, err)
	_, err = p.EditComment(t.Context(), shop, c.ID, "y")
	check(t, err)
	check(t, p.DeleteComment(t.Context(), shop, c.ID))
	if len(p.waited) != 6 {
		t.Errorf("waited %v", p.waited)
	}
}

func TestGitHubThatHangsIsLeft(t *testing.T) {
	p := newPlace(t, "pull-requests: write")
	p.github.Fault("GET ", 9, githubtest.Hang())
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := p.Comments(ctx, shop, 7)
	refused(t, err, store.Unavailable)
	if len(p.waited) != 0 {
		t.Errorf("waited %v", p.waited)
	}
}

func TestTokenIsShownToTheAPIAlone(t *testing.T) {
	p := newPlace(t, "pull-requests: read")
	var shown []string
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shown = append(shown, r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusTeapot)
	}))
	defer elsewhere.Close()
	p.github.Fault("GET ", 1, http.RedirectHandler(elsewhere.URL+"/x", http.StatusFound))
	if _, err := p.Comments(t.Context(), shop, 7); err == nil {
		t.Error("a teapot has no comments")
	}
	if len(shown) != 1 || shown[0] != "" {
		t.Errorf("shown %q", shown)
	}
	p.github.Fault("GET ", 1, http.RedirectHandler("http://github.example.com/x", http.StatusFound))
	_, err := p.Comments(t.Context(), shop, 7)
	refused(t, err, store.Unavailable, "not https")
}

func TestHeadersAreThoseOfNow(t *testing.T) {
	p := newPlace(t, "pull-requests: write")
	_, err := p.CreateComment(t.Context(), shop, 7, "x")
	check(t, err)
	for _, r := range p.github.Requests() {
		if r.Header.Get("Accept") != "application/vnd.github+json" || r.Header.Get("X-GitHub-Api-Version") != "2022-11-28" ||
			r.Header.Get("User-Agent") != "blq" {
			t.Errorf("%v", r.Header)
		}
	}
}

func TestEnterpriseServer(t *testing.T) {
	p := newPlace(t)
	c := p.client(github.Config{API: p.github.URL + "/api/v3/", Token: p.github.Job(shop, "pull-requests: read")})
	got, err := c.Pull(t.Context(), shop, 7)
	check(t, err)
	if got.Number != 7 {
		t.Errorf("%+v", got)
	}
	for api, host := range map[string]string{"": "github.com", "https://api.github.com/": "github.com",
		"https://ghes.example.com/api/v3": "ghes.example.com", "https://api.corp.ghe.com": "corp.ghe.com"} {
		if c, err := github.New(github.Config{API: api}); err != nil || c.Host() != host {
			t.Errorf("%s: %v", api, err)
		}
	}
	for _, bad := range []string{"http://ghes.example.com/api/v3", "ghes.example.com", "https://user:secret@h.example",
		"https://h.example/?q=1"} {
		_, err := github.New(github.Config{API: bad})
		refused(t, err, store.Invalid)
		if strings.Contains(err.Error(), "secret") {
			t.Error(err)
		}
	}
}

func TestAnswersAreBounded(t *testing.T) {
	p := newPlace(t, "pull-requests: read")
	endless := func(status int) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			for range 400 {
				if _, err := w.Write([]byte(`["` + strings.Repeat("x", 64<<10) + `"]`)); err != nil {
					return
				}
			}
		})
	}
	p.github.Fault("GET ", 1, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("[")) // fails only if the client is gone
		for range 300 {
			_, _ = w.Write([]byte(`{"body": "` + strings.Repeat("x", 64<<10) + `"},`))
		}
	}))
	_, err := p.Comments(t.Context(), shop, 7)
	refused(t, err, store.TooLarge)
	p.github.Fault("GET ", 1, endless(http.StatusConflict))
	_, err = p.Comments(t.Context(), shop, 7)
	refused(t, err, store.Conflict)
	if len(err.Error()) > 1000 {
		t.Errorf("an error of %d bytes", len(err.Error()))
	}
}

func TestBadTokenAndBadAnswers(t *testing.T) {
	p := newPlace(t, "pull-requests: read")
	_, err := p.As("ghs_unknown").Comments(t.Context(), shop, 7)
	refused(t, err, store.Unauthorized, "GitHub does not take the token")
	p.github.Fault("GET ", 1, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`[{"id": 1, "bo`)) // fails only if the client is gone
	}))
	_, err = p.Comments(t.Context(), shop, 7)
	refused(t, err, store.Unavailable, "cannot be read")
	gone := p.client(github.Config{API: "http://127.0.0.1:1", Token: "x"})
	_, err = gone.Comments(t.Context(), shop, 7)
	refused(t, err, store.Unavailable, "cannot be reached")
}

// Names become parts of URLs and must not lead to other paths.
func TestNamesAreChecked(t *testing.T) {
	p := newPlace(t, "actions: write", "contents: read", "pull-requests: read")
	p.github.Asked()
	for _, repo := range []string{"", "acme", "acme/", "/shop", "acme/shop/x", "acme/..", "../user", "acme/shop?x",
		"acme/sh%2fop", "acme/shop\n", "acme/" + strings.Repeat("x", 200)} {
		_, err := p.Comments(t.Context(), repo, 7)
		refused(t, err, store.NotFound)
		_, err = p.Repo(t.Context(), repo)
		refused(t, err, store.NotFound)
		_, err = p.Dispatch(t.Context(), github.Dispatch{Repo: repo, Workflow: "ci.yml", Ref: "main"})
		refused(t, err, store.NotFound)
	}
	for _, ref := range []string{"", "a b", "a..b", "-x", "a~1", "a:b", "x.lock", "a\nb", "@{", strings.Repeat("x", 300)} {
		_, err := p.Dispatch(t.Context(), github.Dispatch{Repo: shop, Workflow: "ci.yml", Ref: ref})
		refused(t, err, store.Invalid, "not a branch, tag or commit")
		_, err = p.PullOf(t.Context(), shop, github.Head{Owner: "eve", Branch: ref, SHA: "x"})
		refused(t, err, store.Invalid)
	}
	for _, file := range []string{"", "ci", "../ci.yml", "a/ci.yml", "ci.yml/enable", "1234", "ci.yml?x"} {
		_, err := p.Dispatch(t.Context(), github.Dispatch{Repo: shop, Workflow: file, Ref: "main"})
		refused(t, err, store.Invalid, "not a file of .github/workflows")
	}
	if asked := p.github.Asked(); len(asked) != 0 {
		t.Errorf("GitHub was asked %v", asked)
	}
}

func TestAnswersThatComeSlowlyOrInPartMayBeAskedForAgain(t *testing.T) {
	for name, tt := range map[string]struct {
		fault http.Handler
		says  string
	}{
		"no answer":   {githubtest.Hang(), "cannot be reached"},
		"slow answer": {githubtest.Trickle(), "too slowly"},
		"cut off":     {githubtest.CutOff(), "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.github.SetRun(shop, githubtest.Run{ID: 5, Jobs: []githubtest.Job{{ID: 10, Name: "build", Log: "x"}}})
			// The logs are requested with a max size below 1 MiB. So their size adds nothing to the time in Slow.
			c := p.client(github.Config{API: p.github.URL, Token: p.github.Job(shop, "actions: read"), Patience: -1,
				Slow: 100 * time.Millisecond})
			p.github.Fault("GET ", 1, tt.fault)
			err := c.JobLog(t.Context(), shop, 10, io.Discard, 1000)
			refused(t, err, store.Unavailable, tt.says)
			if _, again := store.RetryAfter(err); !again {
				t.Error("it is not tried again")
			}
			check(t, c.JobLog(t.Context(), shop, 10, io.Discard, 1000))
		})
	}
}
