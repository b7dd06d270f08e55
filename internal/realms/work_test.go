package realms_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/internal/realms"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// worker returns an asker for a reader who may see the given repositories. The asker also has realms.Work. So the
// reader can start sessions and create worktrees.
func (f fixture) worker(c *clock, name string, repos ...string) *query.Asker {
	a := f.asker(repos...)
	a.Now = func() time.Time { return c.Time }
	s := a.Realms.(realms.Stored)
	s.Reader = name
	a.Realms, a.Work = s, realms.Work{Stored: s, Kept: f.store, Host: "git.example.com"}
	return a
}

const all = "acme/realm-aperture acme/azure acme/fungal acme/crimson"

// A session belongs to one reader of a repository. Nobody else can end the session or see that it exists.
func TestSessionsAreOfTheirReaders(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.realm()
	c := &clock{now}
	me, you := f.worker(c, "me", "acme/fungal"), f.worker(c, "you", "acme/fungal", "acme/azure")
	stranger := f.worker(c, "me", "acme/azure")
	start := func(a *query.Asker, repo string) query.SessionStarted {
		t.Helper()
		s, err := a.SessionStart(t.Context(), query.SessionStartParams{RealmAt: query.RealmAt{Repo: repo}})
		f.ok(err)
		return s
	}
	mine, yours := start(me, "acme/fungal"), start(you, "acme/fungal")
	if mine.Status != "success" || yours.Status != "success" || mine.Session.ID == yours.Session.ID {
		t.Errorf("%+v %+v", mine, yours)
	}
	if other := start(you, "acme/azure"); other.Status != "success" {
		t.Errorf("of another repository: %+v", other)
	}
	if again := start(me, "acme/fungal"); again.Status != "warning" || again.Session.ID != mine.Session.ID {
		t.Errorf("%+v", again)
	}
	if got := mine.Session.Watched; !slices.Equal(got, []string{"s3/permissions"}) {
		t.Errorf("watched: %v", got)
	}
	stop := func(a *query.Asker, repo, id string) error {
		_, err := a.SessionStop(t.Context(), query.SessionStopParams{RealmAt: query.RealmAt{Repo: repo}, ID: id})
		return err
	}
	none := store.NoSession().Error()
	for _, tt := range []struct {
		a        *query.Asker
		repo, id string
		want     string
	}{
		{you, "acme/fungal", mine.Session.ID, none},
		{me, "acme/fungal", yours.Session.ID, none},
		{me, "acme/fungal", "sess-1", none},
		{me, "acme/fungal", "", "which session? session_stop needs session_id"},
		{me, "acme/azure", mine.Session.ID, "there is no repository acme/azure"},
		{stranger, "acme/fungal", mine.Session.ID, "there is no repository acme/fungal"},
	} {
		if err := stop(tt.a, tt.repo, tt.id); err == nil || err.Error() != tt.want {
			t.Errorf("%s of %s: %v, want %s", tt.id, tt.repo, err, tt.want)
		}
	}
	f.ok(stop(me, "acme/fungal", mine.Session.ID))
	f.ok(stop(you, "acme/fungal", yours.Session.ID))
}

// A summary counts what happened in the session's repository during the session: runs, new errors, fixed errors and
// commits. Runs of forks and of other repositories do not count.
func TestTheSummaryOfAHostedSession(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.realm()
	c := &clock{now}
	a := f.worker(c, "me", "acme/azure")
	n := 0
	record := func(repo string, at time.Time, fork bool, errors ...string) {
		t.Helper()
		n++
		r := store.Run{Attempt: strings.Repeat(string(rune('a'+n)), 8), Repo: repo, Source: "build", StartedAt: at,
			CI: &store.CI{Provider: "github", Fork: fork}}
		r, err := f.store.StartRun(t.Context(), r)
		f.ok(err)
		var events []store.Event
		for i, e := range errors {
			one := store.Event{ID: i + 1, Severity: store.SeverityError, Tool: "gcc", Message: e}
			events = append(events, one)
		}
		f.ok(f.store.AddEvents(t.Context(), r.Attempt, 0, events))
		exit := 1
		_, err = f.store.FinishRun(t.Context(), r.Attempt, store.Finish{Batches: 1, Ending: store.Ending{
			Reason: store.ReasonExit, ExitCode: &exit, FinishedAt: at.Add(time.Minute)}})
		f.ok(err)
	}
	record("acme/azure", now.Add(-time.Hour), false, "one", "two")
	s, err := a.SessionStart(t.Context(), query.SessionStartParams{RealmAt: query.RealmAt{Repo: "acme/azure"}})
	f.ok(err)
	record("acme/azure", now.Add(time.Minute), false, "one", "two", "three")
	record("acme/azure", now.Add(2*time.Minute), false, "two", "four", "five")
	record("acme/azure", now.Add(3*time.Minute), true, "six")
	record("acme/crimson", now.Add(3*time.Minute), false, "seven")
	f.push("acme/azure", 20, owned("1.5.0"), "main", 10)
	f.push("acme/azure", 21, owned("1.6.0"), "main", 20, 10)
	c.Time = now.Add(15 * time.Minute)
	stopped, err := a.SessionStop(t.Context(), query.SessionStopParams{RealmAt: query.RealmAt{Repo: "acme/azure"},
		ID: s.Session.ID})
	f.ok(err)
	got := stopped.Summary
	if got.Runs != 2 || got.New != 2 || got.Fixed != 1 || got.Commits != 2 || got.Duration != "15m" ||
		!slices.Equal(got.Modified, []string{"s3/permissions"}) {
		t.Errorf("%+v", got)
	}
}

// A session can be ended even if the configuration of its repository has become invalid.
func TestASessionEndsWithoutItsRealm(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.realm()
	c := &clock{now}
	a := f.worker(c, "me", "acme/fungal")
	s, err := a.SessionStart(t.Context(), query.SessionStartParams{RealmAt: query.RealmAt{Repo: "acme/fungal"}})
	f.ok(err)
	f.push("acme/fungal", 30, files{".blue/config.yaml": "realm: [\n"}, "main", 11)
	c.Time = now.Add(50 * time.Hour)
	stopped, err := a.SessionStop(t.Context(), query.SessionStopParams{RealmAt: query.RealmAt{Repo: "acme/fungal"},
		ID: s.Session.ID})
	f.ok(err)
	if got := stopped.Summary; got.Reason != "idle" || got.Duration != "24h 0m" ||
		!slices.Equal(got.Watched, []string{"s3/permissions"}) {
		t.Errorf("%+v", got)
	}
}

// Plans and pull requests never name members that the caller cannot see.
func TestWorkHidesMembers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.realm()
	for i, name := range []string{"azure", "fungal", "crimson"} {
		f.push("acme/"+name, 40+i, files{".blue/config.yaml": config(name)}, "rfc/7", 10+i)
	}
	c := &clock{now}
	whole, part := f.worker(c, "me", strings.Fields(all)...), f.worker(c, "me", "acme/fungal")
	of := query.RealmAt{Repo: "acme/fungal"}
	ask := func(a *query.Asker, repos ...string) string {
		return text(a.WorktreeCreate(t.Context(), query.WorktreeCreateParams{RealmAt: of, RFC: "7", Repos: repos})) +
			text(a.PRStatus(t.Context(), query.PRStatusParams{RealmAt: of, RFC: "7"})) +
			text(a.PRStatus(t.Context(), query.PRStatusParams{RealmAt: of}))
	}
	everything, mine := ask(whole), ask(part)
	for _, name := range []string{"azure", "crimson"} {
		if !strings.Contains(everything, name) || strings.Contains(mine, name) {
			t.Errorf("%s: all see %s; fungal sees %s", name, everything, mine)
		}
	}
	if got := strings.Count(mine, `"hidden_repos":2`); got != 3 {
		t.Errorf("%d answers count those that are hidden: %s", got, mine)
	}
	for _, name := range []string{"azure", "hidden-1", "nobody", "../azure"} {
		w, err := part.WorktreeCreate(t.Context(), query.WorktreeCreateParams{RealmAt: of, RFC: "7", Repos: []string{name}})
		if want := []string{name + ": it is not a member of the realm"}; err != nil || !slices.Equal(w.Errors, want) {
			t.Errorf("%s: %+v, %v", name, w, err)
		}
	}
	// A member that the caller cannot see gets another name. The answers to the caller stay the same.
	shared := files{}
	for path, text := range aperture {
		shared[strings.ReplaceAll(path, "crimson", "crimson-and-more")] = strings.ReplaceAll(
			text, "crimson", "crimson-and-more")
	}
	f.push("acme/realm-aperture", 2, shared, "main", 1)
	if diff := cmp.Diff(mine, ask(part)); diff != "" {
		t.Errorf("the name of a hidden member shows:\n%s", diff)
	}
}

// The runs of a commit and the forge decide whether a change can be merged.
func TestPullRequestsOfAServer(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.realm()
	satisfied := maps.Clone(aperture)
	delete(satisfied, "domains/other/bindings/azure.yaml") // it needs a missing version
	f.push("acme/realm-aperture", 2, satisfied, "main", 1)
	f.push("acme/azure", 40, owned("1.5.0"), "rfc/7", 10)
	f.push("acme/azure", 41, owned("1.6.0"), "rfc/7", 40, 10)
	g := githubtest.New(t)
	g.Repo("acme/azure", 1)
	g.Writers("acme/azure", "bot")
	g.AddPull("acme/azure", githubtest.Pull{Number: 42, HeadRef: "rfc/7", HeadSHA: hash(41), Mergeable: "blocked"})
	client, err := github.New(github.Config{API: g.URL, Token: g.Token("bot"), Patience: -1})
	f.ok(err)
	a := f.worker(&clock{now}, "me", "acme/azure")
	w := a.Work.(realms.Work)
	w.Forge = &realms.Forge{Client: client}
	a.Work = w
	look := func() query.RepoPR {
		t.Helper()
		s, err := a.PRStatus(t.Context(), query.PRStatusParams{RealmAt: query.RealmAt{Repo: "acme/azure"}, RFC: "7"})
		f.ok(err)
		if len(s.Repos) != 1 || !slices.Equal(s.Order, []string{"azure"}) {
			t.Fatalf("%+v", s)
		}
		return s.Repos[0]
	}
	expect := func(checks string, want ...string) {
		t.Helper()
		if r := look(); r.Checks != checks || !slices.Equal(r.Reasons, want) || r.Ready != (want == nil) {
			t.Errorf("%s, ready %v: %q, want %s %q", r.Checks, r.Ready, r.Reasons, checks, want)
		}
	}
	if r := look(); r.Changes != nil || r.Ahead != 2 || !r.Pushed || r.Branch != "rfc/7" || r.Pull.Number != 42 ||
		r.Path != "https://git.example.com/acme/azure" {
		t.Errorf("%+v", r)
	}
	expect("unknown", "reviews or required checks are missing", "no checks are known")
	g.ChangePull("acme/azure", 42, func(p *githubtest.Pull) { p.Mergeable = "clean" })
	expect("green")
	run := func(attempt, source string, exit int) {
		t.Helper()
		r, err := f.store.StartRun(
			t.Context(), store.Run{Attempt: attempt, Repo: "acme/azure", Source: source, StartedAt: now,
				Git: store.Git{Commit: hash(41), Branch: "rfc/7"}})
		f.ok(err)
		if exit >= 0 {
			_, err = f.store.FinishRun(t.Context(), r.Attempt, store.Finish{Ending: store.Ending{Reason: store.ReasonExit,
				ExitCode: &exit, FinishedAt: now.Add(time.Minute)}})
			f.ok(err)
		}
	}
	run("a", "build", 0)
	expect("green")
	run("b", "test", -1)
	expect("running", "checks are running")
	run("c", "build", 1)
	expect("red", "checks failed: build")
	run("d", "build", 0)
	run("e", "test", 2)
	expect("red", "checks failed: test")
	run("f", "test", 0)
	expect("green")
	w.Forge = nil
	a.Work = w
	if r := look(); r.Ready || r.Reasons[0] != "pull requests are not known here: blqd needs BLQ_GITHUB_TOKEN" {
		t.Errorf("%+v", r)
	}
}
