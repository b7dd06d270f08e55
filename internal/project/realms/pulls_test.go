//go:build unix

package realms_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/internal/project/realms"
	shared "github.com/blq-ci/blq/internal/realms"
	"github.com/blq-ci/blq/query"
)

// one returns the status of a repository.
func one(t *testing.T, s query.PRStatus, name string) query.RepoPR {
	t.Helper()
	for _, r := range s.Repos {
		if r.Name == name {
			return r
		}
	}
	t.Fatalf("%s is not in %+v", name, s)
	return query.RepoPR{}
}

func TestPullRequestsOfClones(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	g := githubtest.New(t)
	client, err := github.New(github.Config{API: g.URL, Token: g.Token("ann"), Patience: -1})
	m.ok(err)
	forge := shared.Forge{Client: client}
	for i, name := range []string{"blue", "fungal"} {
		g.Repo("acme/"+name, int64(i+1))
		g.Writers("acme/"+name, "ann")
		m.git(name, "checkout", "-q", "-b", "rfc/7")
		m.commit(name, "work")
	}
	ask := func(forge realms.Forge, rfc string) query.PRStatus {
		t.Helper()
		s, err := m.in("blue", forge).PRStatus(t.Context(), query.PRStatusParams{RFC: rfc})
		m.ok(err)
		return s
	}
	expect := func(s query.PRStatus, name string, want ...string) {
		t.Helper()
		if r := one(t, s, name); !slices.Equal(r.Reasons, want) || r.Ready != (len(want) == 0) {
			t.Errorf("%s: ready %v, %q, want %q", name, r.Ready, r.Reasons, want)
		}
	}
	m.write("fungal/a", "")
	m.write("fungal/b/c", "")
	m.write("fungal/.gitignore", "out/")
	m.write("fungal/out/x", "")
	s := ask(nil, "")
	noForge := "it has no origin at a forge, so pull requests are not known"
	expect(s, "blue", "1 commit not pushed", noForge)
	expect(s, "fungal", "3 uncommitted changes", "1 commit not pushed", noForge)
	expect(s, "alone", "it is on its default branch: there is nothing to merge")
	if r := one(t, s, "fungal"); *r.Changes != 3 || r.Ahead != 1 || r.Pushed || r.Pull != nil ||
		r.Path != m.path("fungal") ||
		!slices.Equal(r.After, []string{"blue"}) {
		t.Errorf("%+v", r)
	}
	if diff := cmp.Diff([]string{"Commit changes in repos with uncommitted files", "Push commits to remote branches"},
		s.NextSteps); diff != "" || s.Summary != (query.PRSummary{}) {
		t.Errorf("%+v: %s", s.Summary, diff)
	}
	m.commit("fungal", "clean")
	for _, name := range []string{"blue", "fungal"} {
		m.git(name, "push", "-q", "origin", "rfc/7")
		m.git(name, "remote", "set-url", "origin", "https://"+client.Host()+"/acme/"+name+".git")
	}
	s = ask(nil, "7")
	if len(s.Repos) != 2 || !s.Summary.Ready {
		t.Errorf("%+v", s)
	}
	expect(s, "blue", "pull requests of "+client.Host()+" are not known: set GITHUB_TOKEN")
	s = ask(forge, "7")
	expect(s, "blue", "there is no pull request")
	if diff := cmp.Diff([]string{"Open pull requests: blue, fungal"}, s.NextSteps); diff != "" {
		t.Error(diff)
	}
	g.AddPull("acme/blue", githubtest.Pull{Number: 41, HeadRef: "rfc/7", State: "closed"})
	g.AddPull("acme/blue", githubtest.Pull{Number: 42, HeadRef: "rfc/7", Title: "RFC 7",
		HeadSHA: m.git("blue", "rev-parse", "HEAD")})
	g.AddPull("acme/blue", githubtest.Pull{Number: 43, HeadRef: "rfc/7", HeadRepo: "eve/blue"})
	g.AddPull("acme/fungal", githubtest.Pull{Number: 5, HeadRef: "rfc/7", Draft: true, Mergeable: "draft",
		HeadSHA: m.git("fungal", "rev-parse", "HEAD")})
	s = ask(forge, "7")
	expect(s, "blue")
	expect(s, "fungal", "the pull request is a draft", "no checks are known")
	if p := one(t, s, "blue").Pull; p.Number != 42 || p.State != "OPEN" || p.Title != "RFC 7" ||
		!strings.HasSuffix(p.URL, "/acme/blue/pull/42") {
		t.Errorf("%+v", p)
	}
	if !slices.Equal(s.Order, []string{"blue", "fungal"}) || !slices.Contains(s.NextSteps, "Merge in this order: blue") {
		t.Errorf("%v %v", s.Order, s.NextSteps)
	}
	for _, tt := range []struct {
		change func(*githubtest.Pull)
		want   []string
	}{
		{func(p *githubtest.Pull) { p.Draft, p.Mergeable = false, "dirty" },
			[]string{"the pull request has conflicts", "no checks are known"}},
		{func(p *githubtest.Pull) { p.Mergeable = "unstable" }, []string{"checks have failed, or are running"}},
		{func(p *githubtest.Pull) { p.Mergeable = "blocked" },
			[]string{"reviews or required checks are missing", "no checks are known"}},
		{func(p *githubtest.Pull) { p.State, p.Merged = "closed", true }, []string{"the pull request is merged"}},
		{func(p *githubtest.Pull) { p.Merged = false }, []string{"the pull request is closed"}},
		{func(p *githubtest.Pull) { p.State, p.Mergeable = "open", "clean" }, nil},
	} {
		g.ChangePull("acme/fungal", 5, tt.change)
		expect(ask(forge, "7"), "fungal", tt.want...)
	}
	if last := ask(forge, "rfc/7"); !slices.Contains(last.NextSteps, "Merge in this order: blue, fungal") {
		t.Errorf("%v", last.NextSteps)
	}
	m.git("fungal", "remote", "set-url", "origin", "git@git.example.com:acme/fungal.git")
	expect(ask(forge, "7"), "fungal", "pull requests of git.example.com are not known: GITHUB_API_URL is that of "+
		client.Host())
	if s := ask(forge, "8"); len(s.Repos) != 0 || s.NextSteps[0] != "Make branches with realm_worktree_create" {
		t.Errorf("%+v", s)
	}
}

// Contracts are checked with the RFC's branches of all repositories together. A contract error there blocks a branch.
func TestErrorsOfContractsAreInTheWay(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	for name, text := range map[string]string{"blue/.blue/contracts/s3/c.yaml": contract("2.0.0", "string"),
		"fungal/.blue/contracts/s3/bindings/fungal.yaml": `imports: [{contract: c, version: "^1.0"}]`} {
		repo, _, _ := strings.Cut(name, "/")
		m.git(repo, "checkout", "-q", "-b", "rfc/7")
		m.write(name, text)
		m.commit(repo, "work")
	}
	m.git("blue", "checkout", "-q", "main")
	m.git("fungal", "checkout", "-q", "main")
	why := func(name string) []string {
		s, err := m.in("blue", nil).PRStatus(t.Context(), query.PRStatusParams{RFC: "7"})
		m.ok(err)
		return one(t, s, name).Reasons
	}
	if got := why("fungal"); !slices.Contains(got, "errors of contracts: VersionMismatch") {
		t.Errorf("%q", got)
	}
	m.git("fungal", "checkout", "-q", "rfc/7")
	m.write("fungal/.blue/contracts/s3/bindings/fungal.yaml", `imports: [{contract: c, version: "^2.0"}]`)
	m.commit("fungal", "newer")
	if got := why("fungal"); slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "contracts") }) {
		t.Errorf("%q", got)
	}
}

func TestMembersWithoutAClone(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.ok(os.RemoveAll(m.path("fungal")))
	s, err := m.in("blue", nil).PRStatus(context.Background(), query.PRStatusParams{RFC: "x"})
	m.ok(err)
	if got := one(t, s, "fungal").Reasons; len(got) != 1 || !strings.Contains(got[0], "there is no clone at ../fungal") {
		t.Errorf("%q", got)
	}
	if got := m.worktrees("blue", "x"); !strings.Contains(got, `"status":"partial"`) ||
		!strings.Contains(got, `"created":["blue"]`) || !strings.Contains(got, "fungal: there is no clone at ../fungal") {
		t.Error(got)
	}
}
