package github_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/store"
)

const yamlFile = ".beadloom/_graph/a b.yml"

// proposal changes x to y.
var proposal = github.Proposal{Repo: shop, File: yamlFile, Branch: "blq/graph-1", Title: "a title", Body: "a body",
	Edit: func(b []byte) ([]byte, error) { return []byte(strings.ReplaceAll(string(b), "x", "y")), nil }}

var writes = []string{"contents: write", "pull-requests: write"}

func proposing(t *testing.T, permissions ...string) *place {
	p := newPlace(t, permissions...)
	p.github.File(shop, yamlFile, "a: x\n")
	return p
}

// opened returns the pull requests that the test has opened. Every place has another pull request from the beginning.
func (p *place) opened() []githubtest.Pull { return p.github.Pulls(shop)[1:] }

func TestPullRequestIsOpenedOnce(t *testing.T) {
	p := proposing(t, writes...)
	first, err := p.Propose(t.Context(), proposal)
	check(t, err)
	again, err := p.Propose(t.Context(), proposal)
	check(t, err)
	all := p.opened()
	if len(all) != 1 || first.Number != 2 || again != first || !strings.HasSuffix(first.URL, "/acme/shop/pull/2") {
		t.Fatalf("%+v, %+v, %+v", first, again, all)
	}
	if pr := all[0]; pr.Title != "a title" || pr.Body != "a body" || pr.BaseRef != "main" ||
		!strings.HasPrefix(pr.HeadRef, "blq/graph-1-") || p.github.FileAt(shop, pr.HeadRef, yamlFile) != "a: y\n" {
		t.Errorf("%+v", pr)
	}
	p.github.ClosePull(shop, 2)
	reopened, err := p.Propose(t.Context(), proposal)
	if check(t, err); reopened.Number != 3 {
		t.Errorf("%+v", reopened)
	}
	p.github.File(shop, yamlFile, "a: x\nb: x\n") // the same change of another file has a separate branch
	next, err := p.Propose(t.Context(), proposal)
	if check(t, err); next.Number != 4 || p.opened()[2].HeadRef == all[0].HeadRef {
		t.Errorf("%+v, %+v", next, p.opened())
	}
}

func TestPullRequestContinuesWhereItBrokeOff(t *testing.T) {
	for _, at := range []string{"PUT /repos/acme/shop/contents", "POST /repos/acme/shop/pulls",
		"GET /repos/acme/shop/pulls"} {
		p := proposing(t, writes...)
		p.github.Fault(at, 20, githubtest.Broken(http.StatusBadGateway))
		_, err := p.Propose(t.Context(), proposal)
		refused(t, err, store.Unavailable, "502")
		p.github.Fault(at, 0, nil)
		p.Client = p.client(github.Config{API: p.github.URL, Token: p.github.Job(shop, writes...)})
		for range 20 {
			if _, err = p.Propose(t.Context(), proposal); err == nil {
				break
			}
		}
		if check(t, err); len(p.opened()) != 1 || p.github.FileAt(shop, p.opened()[0].HeadRef, yamlFile) != "a: y\n" {
			t.Errorf("%s: %+v", at, p.opened())
		}
	}
}

func TestPullRequestIsNotNeeded(t *testing.T) {
	p := proposing(t, writes...)
	p.github.File(shop, yamlFile, "a: y\n")
	got, err := p.Propose(t.Context(), proposal)
	if check(t, err); got != (github.Proposed{}) || len(p.opened()) != 0 {
		t.Errorf("%+v, %+v", got, p.opened())
	}
}

func TestRefusalsOfPullRequests(t *testing.T) {
	for name, tt := range map[string]struct {
		permissions []string
		begin       string
		with        http.Handler
		code        store.Code
		words       string
	}{
		"may read nothing": {nil, "", nil, store.Forbidden, "contents: read"},
		"may not create":   {[]string{"contents: read"}, "", nil, store.Forbidden, "contents: write"},
		"may not open": {[]string{"contents: write", "pull-requests: read"}, "", nil, store.Forbidden,
			"pull-requests: write"},
		"may not list": {[]string{"contents: write"}, "", nil, store.Forbidden, "pull-requests: read"},
		"too many": {writes, "POST /repos/acme/shop/git/refs", githubtest.TooMany(100), store.RateLimited,
			"too many"},
		"writes too fast": {writes, "PUT ", githubtest.Secondary(), store.RateLimited, "too many"},
		"the file is gone": {writes, "GET /repos/acme/shop/contents", saying(404, "Not Found"), store.NotFound,
			"read .beadloom"},
		"it is a folder": {writes, "GET /repos/acme/shop/contents", saying(200, ""), store.Conflict,
			"not a file of up to"},
		"an archived one": {writes, "POST /repos/acme/shop/git/refs",
			saying(403, "Repository was archived so is read-only."), store.Forbidden, "archived"},
		"a rule forbids names": {writes, "POST /repos/acme/shop/git/refs", saying(422, "Repository rule violations found"),
			store.Invalid, "rule violations"},
		"a rule forbids writes": {writes, "PUT ", saying(409, "Changes must be made through a pull request"), store.Conflict,
			"Changes must"},
		"an old token": {writes, "GET /repos/acme/shop", saying(401, "Bad credentials"), store.Unauthorized,
			"does not take the token"},
		"a pull is not valid": {writes, "POST /repos/acme/shop/pulls", saying(422, "Validation Failed"), store.Invalid,
			"Validation Failed"},
	} {
		t.Run(name, func(t *testing.T) {
			p := proposing(t, tt.permissions...)
			if tt.begin != "" {
				p.github.Fault(tt.begin, 100, tt.with)
			}
			_, err := p.Propose(t.Context(), proposal)
			refused(t, err, tt.code, tt.words)
			if len(p.opened()) != 0 {
				t.Errorf("%+v", p.opened())
			}
		})
	}
}

// saying returns a handler that answers with a status and a message.
func saying(status int, message string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`{"message":"` + message + `"}`))
	})
}

func TestBranchOfAnotherChangeIsLeftAlone(t *testing.T) {
	p := proposing(t, writes...)
	_, err := p.Propose(t.Context(), proposal)
	check(t, err)
	other := proposal
	other.Edit = func([]byte) ([]byte, error) { return []byte("a: z\n"), nil }
	_, err = p.Propose(t.Context(), other)
	refused(t, err, store.Conflict, "has another change", "merge or delete it first")
	if p.github.FileAt(shop, p.opened()[0].HeadRef, yamlFile) != "a: y\n" {
		t.Error("the branch is changed")
	}
}
