package github_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/store"
)

const shop = "acme/shop"

// place is a fake GitHub with a repository, and a client with a job's token. The client does not wait. It only records
// how long it would wait.
type place struct {
	*testing.T
	github *githubtest.GitHub
	*github.Client
	waited []time.Duration
}

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func newPlace(t *testing.T, permissions ...string) *place {
	t.Helper()
	p := &place{T: t, github: githubtest.New(t)}
	p.github.Repo(shop, 1296269)
	p.github.AddPull(shop, githubtest.Pull{Number: 7})
	p.Client = p.client(github.Config{API: p.github.URL, Token: p.github.Job(shop, permissions...)})
	return p
}

func (p *place) client(c github.Config) *github.Client {
	p.Helper()
	c.Now = func() time.Time { return now }
	c.Wait = func(ctx context.Context, d time.Duration) error {
		p.waited = append(p.waited, d)
		return ctx.Err()
	}
	client, err := github.New(c)
	check(p.T, err)
	return client
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// refused checks the code of an error, and words in the error and its hint.
func refused(t *testing.T, err error, code store.Code, words ...string) {
	t.Helper()
	if err == nil || store.CodeOf(err) != code {
		t.Fatalf("%v has code %q, want %q", err, store.CodeOf(err), code)
	}
	for _, w := range words {
		if text := err.Error() + "\n" + cmdline.Of(store.NextOf(err)); !strings.Contains(text, w) {
			t.Errorf("%q does not say %q", text, w)
		}
	}
}
