package github_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/store"
)

// The pull request of a fork can be found only by its head, because workflow_run events do not name the pull request.
func TestPullRequestOfAForkIsFoundByItsHead(t *testing.T) {
	p := newPlace(t, "pull-requests: read")
	mine, theirs := strings.Repeat("1", 40), strings.Repeat("2", 40)
	p.github.AddPull(shop, githubtest.Pull{Number: 8, HeadRepo: "eve/shop", HeadRef: "fix", HeadSHA: mine})
	p.github.AddPull(shop, githubtest.Pull{Number: 9, HeadRef: "fix", HeadSHA: mine})
	p.github.AddPull(
		shop, githubtest.Pull{Number: 10, HeadRepo: "eve/shop", HeadRef: "fix", HeadSHA: theirs, State: "closed"})
	got, err := p.PullOf(t.Context(), shop, github.Head{Owner: "eve", Branch: "fix", SHA: mine})
	check(t, err)
	want := github.Pull{
		Number: 8, State: "open", Title: "A change", Author: "octocat", HeadSHA: mine, HeadRef: "fix", HeadRepo: "eve/shop",
		BaseSHA: strings.Repeat("b", 40), BaseRef: "main", Fork: true, URL: got.URL,
	}
	if diff := cmp.Diff(want, got); diff != "" || got.URL == "" {
		t.Error(diff)
	}
	own, err := p.PullOf(t.Context(), shop, github.Head{Owner: "acme", Branch: "fix", SHA: mine})
	check(t, err)
	if own.Number != 9 || own.Fork {
		t.Errorf("%+v", own)
	}
	for _, head := range []github.Head{{Owner: "eve", Branch: "fix", SHA: theirs},
		{Owner: "bob", Branch: "fix", SHA: mine}} {
		_, err := p.PullOf(t.Context(), shop, head)
		refused(t, err, store.NotFound, "no open pull request")
	}
	p.github.Push(shop, 8, theirs)
	_, err = p.PullOf(t.Context(), shop, github.Head{Owner: "eve", Branch: "fix", SHA: mine})
	refused(t, err, store.NotFound)
}

func TestRepositoryUnderItsEarlierName(t *testing.T) {
	p := newPlace(t, "pull-requests: write")
	p.github.AddPull("acme/old", githubtest.Pull{Number: 1})
	p.github.Public("acme/old", 5)
	p.github.Rename("acme/old", "acme/new")
	r, err := p.Repo(t.Context(), "acme/old")
	if check(t, err); r.ID != 5 || r.Name != "acme/new" || r.DefaultBranch != "main" || r.Private {
		t.Errorf("%+v", r)
	}
	_, err = p.CreateComment(t.Context(), "acme/old", 1, "x")
	if check(t, err); len(p.github.Comments("acme/new", 1)) != 1 {
		t.Error("no comment")
	}
}

func TestWhoAsks(t *testing.T) {
	p := newPlace(t)
	p.github.Repo("acme/web", 2, "ann")
	p.github.Writers("acme/web", "bob")
	for user, push := range map[string]bool{"ann": false, "bob": true} {
		c := p.As(p.github.Token(user))
		login, err := c.Login(t.Context())
		check(t, err)
		list, err := c.Repos(t.Context())
		check(t, err)
		if login != user || len(list) != 1 || list[0].Permissions.Push != push || !list[0].Permissions.Pull {
			t.Errorf("%s: %+v", login, list)
		}
	}
	_, err := p.Login(t.Context())
	refused(t, err, store.Forbidden)
	check(t, p.CheckInstallation(t.Context()))
	list, err := p.Installed(t.Context())
	if check(t, err); len(list) != 1 || list[0].Name != shop {
		t.Errorf("%+v", list)
	}
	_, err = p.As("").Repo(t.Context(), shop)
	refused(t, err, store.NotFound)
}
