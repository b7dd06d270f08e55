//go:build unix

package realms_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/internal/project/realms"
	shared "github.com/blq-ci/blq/internal/realms"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/sqlite/sqlitetest"
)

// machine is a machine with clones of a realm and its members: blue, which owns a contract, fungal, which imports it,
// and alone, which is in no domain.
type machine struct {
	*testing.T
	top string
	now time.Time
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	m := &machine{t, t.TempDir(), time.Date(2026, 1, 24, 10, 0, 0, 0, time.UTC)}
	m.write("realm/realm.yaml", "name: aperture")
	m.write("realm/domains/s3/domain.yaml", "members: [blue, fungal]")
	m.write("realm/domains/s3/contracts/c.yaml", contract("1.0.0", "integer"))
	m.write("realm/domains/s3/bindings/blue.yaml", "exports: [c]")
	m.write("realm/domains/s3/bindings/fungal.yaml", "imports: [c]")
	for _, name := range []string{"blue", "fungal", "alone"} {
		m.write("realm/repos/"+name+".yaml", "path: ../"+name)
		m.write(name+"/.blue/config.yaml", "realm: {name: aperture, path: ../realm}\nrepo: "+name)
		m.commit(name, "one")
		m.git(".", "clone", "-q", "--bare", name, name+".git")
		m.git(name, "remote", "add", "origin", filepath.Join(m.top, name+".git"))
		m.git(name, "fetch", "-q", "origin")
	}
	m.commit("realm", "one")
	return m
}

func contract(version, size string) string {
	return "owner: blue\nversion: " + version + "\nschema: {type: object, properties: {size: {type: " + size + "}}}\n"
}

func (m *machine) ok(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

func (m *machine) path(name string) string { return filepath.Join(m.top, filepath.FromSlash(name)) }

func (m *machine) write(name, text string) {
	m.Helper()
	m.ok(os.MkdirAll(filepath.Dir(m.path(name)), 0o755))
	m.ok(os.WriteFile(m.path(name), []byte(text), 0o644))
}

func (m *machine) git(dir string, args ...string) string {
	m.Helper()
	cmd := exec.CommandContext(m.Context(), "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com",
		"-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = m.path(dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		m.Fatalf("git %v: %s", args, out)
	}
	return strings.TrimSpace(string(out))
}

// commit commits all files of a repository, which is made first if it is not there.
func (m *machine) commit(dir, message string) {
	m.Helper()
	if _, err := os.Stat(m.path(dir + "/.git")); err != nil {
		m.git(dir, "init", "-q")
	}
	m.git(dir, "add", "-A")
	m.git(dir, "commit", "-q", "--allow-empty", "-m", message)
}

// in returns who answers in a repository, with a forge or nil.
func (m *machine) in(repo string, forge realms.Forge) *query.Asker {
	p := realms.Project{Root: m.path(repo), Home: m.path("home")}
	w := realms.Work{Project: p}
	if forge != nil {
		w.Forge = forge
	}
	return &query.Asker{Store: sqlitetest.Open(m), Scope: store.Everything(), Realms: p, Work: w,
		Now: func() time.Time { return m.now }}
}

// all returns what is in the directories of the machine besides git's own files, to see whether something has changed.
func (m *machine) all() string {
	m.Helper()
	var names []string
	m.ok(filepath.WalkDir(m.top, func(path string, d os.DirEntry, err error) error {
		if d != nil && d.IsDir() && (d.Name() == "objects" || d.Name() == "logs") {
			return filepath.SkipDir
		}
		names = append(names, path)
		return err
	}))
	return strings.Join(names, "\n")
}

func refused(t *testing.T, err error, code store.Code, want string) {
	t.Helper()
	if store.CodeOf(err) != code || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s: %s", err, code, want)
	}
}

func TestASessionIsAFileOfTheProject(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	a := m.in("blue", nil)
	_, err := a.SessionStop(t.Context(), query.SessionStopParams{})
	refused(t, err, store.NotFound, "No active session. Nothing to stop.")
	m.git("blue", "checkout", "-q", "-b", "topic")
	m.write("blue/.blue/contracts/s3/c.yaml", contract("2.0.0", "string"))
	started, err := a.SessionStart(t.Context(), query.SessionStartParams{RFC: "rfc-0042-new-api"})
	m.ok(err)
	id := started.Session.ID
	want := query.SessionStarted{Status: "success", Message: "Session started", Session: query.Session{ID: id,
		Realm: "aperture", Repo: "blue", StartedAt: "2026-01-24T10:00:00Z", RFC: "rfc-0042-new-api",
		Domains: []string{"s3"}, Modified: []string{"s3/c"}, Watched: []string{}},
		NextSteps: []string{"Use session_stop when done to get a summary"}}
	if diff := cmp.Diff(want, started); diff != "" || !strings.HasPrefix(id, "sess-19bef723d00") || len(id) < 16 {
		t.Errorf("%s: -want +got:\n%s", id, diff)
	}
	if text := m.git("blue", "status", "--porcelain", ".blue/session", ".blue/.gitignore"); text != "" {
		t.Errorf("git sees the session: %s", text)
	}
	again, err := a.SessionStart(t.Context(), query.SessionStartParams{RFC: "other"})
	m.ok(err)
	if again.Status != "warning" || again.Session.ID != id || !strings.HasPrefix(again.NextSteps[0], "Use session_stop") {
		t.Errorf("%+v", again)
	}
	m.commit("blue", "two")
	m.write("blue/.blue/contracts/s3/c.yaml", contract("1.0.0", "integer")) // as it was
	m.now = m.now.Add(2*time.Hour + 15*time.Minute + 40*time.Second)
	_, err = a.SessionStop(t.Context(), query.SessionStopParams{ID: "sess-other"})
	refused(t, err, store.NotFound, "No active session. Nothing to stop.")
	stopped, err := a.SessionStop(t.Context(), query.SessionStopParams{})
	m.ok(err)
	sum := query.SessionSummary{Session: want.Session, Commits: 1}
	sum.EndedAt, sum.Duration, sum.Modified = "2026-01-24T12:15:40Z", "2h 15m", []string{}
	if diff := cmp.Diff(query.SessionStopped{Status: "success", Message: "Session ended after 2h 15m", Summary: sum,
		NextSteps: []string{"Start a new session with session_start when ready"}}, stopped); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if _, err := os.Stat(m.path("blue/.blue/session")); err == nil {
		t.Error("the file is still there")
	}
	watching, err := m.in("fungal", nil).SessionStart(t.Context(), query.SessionStartParams{})
	m.ok(err)
	if s := watching.Session; s.Repo != "fungal" || !slices.Equal(s.Watched, []string{"s3/c"}) || len(s.Modified) != 0 {
		t.Errorf("%+v", s)
	}
}

func TestDurationsAreThoseOfPeople(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	for after, want := range map[time.Duration]string{
		0: "0s", 42 * time.Second: "42s", time.Minute: "1m", 15*time.Minute + 59*time.Second: "15m",
		2 * time.Hour: "2h 0m", 2*time.Hour + 15*time.Minute: "2h 15m", 23*time.Hour + 59*time.Minute: "23h 59m",
		24 * time.Hour: "24h 0m", 60 * time.Hour: "24h 0m", // it had ended by itself
	} {
		a := m.in("blue", nil)
		began := m.now
		_, err := a.SessionStart(t.Context(), query.SessionStartParams{})
		m.ok(err)
		m.now = began.Add(after)
		stopped, err := a.SessionStop(t.Context(), query.SessionStopParams{})
		m.ok(err)
		if stopped.Summary.Duration != want || stopped.Message != "Session ended after "+want ||
			(stopped.Summary.Reason == "idle") != (after >= 24*time.Hour) {
			t.Errorf("%s: %+v", after, stopped)
		}
		m.now = began
	}
}

// A session ends by itself 24 hours after the last question.
func TestAnIdleSessionIsReplaced(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	a := m.in("blue", nil)
	start := func() query.SessionStarted {
		s, err := a.SessionStart(t.Context(), query.SessionStartParams{})
		m.ok(err)
		return s
	}
	const hint = "Start a session with session_start to track your work"
	status := func() bool {
		s, err := a.RealmStatus(t.Context(), query.RealmStatusParams{})
		m.ok(err)
		return slices.Contains(s.NextSteps, hint)
	}
	if !status() {
		t.Error("nobody is told that there are sessions")
	}
	first := start()
	m.now = m.now.Add(20 * time.Hour)
	if status() {
		t.Error("a session is open, and another one is advised")
	}
	m.now = m.now.Add(20 * time.Hour)
	if again := start(); again.Session.ID != first.Session.ID {
		t.Error("the question did not keep the session")
	}
	m.now = m.now.Add(25 * time.Hour)
	if !status() {
		t.Error("an idle session counts as open")
	}
	if next := start(); next.Status != "success" || next.Session.ID == first.Session.ID {
		t.Errorf("%+v", next)
	}
}

func TestOfSessionsThatStartTogetherOneWins(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	var all sync.WaitGroup
	ids := make([]string, 6)
	for i := range ids {
		a := m.in("blue", nil)
		all.Go(func() {
			s, err := a.SessionStart(t.Context(), query.SessionStartParams{})
			if err != nil {
				ids[i] = err.Error()
				return
			}
			ids[i] = s.Session.ID
		})
	}
	all.Wait()
	if slices.Sort(ids); ids[0] != ids[len(ids)-1] || !strings.HasPrefix(ids[0], "sess-") {
		t.Errorf("%v", ids)
	}
}

// The file of a session may be anything: it came with the repository.
func TestAHostileSessionFile(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(m *machine){
		"garbage":   func(m *machine) { m.write("blue/.blue/session", "\x00{") },
		"of others": func(m *machine) { m.write("blue/.blue/session", `{"id":""}`) },
		"a link out": func(m *machine) {
			m.write("secret", `{"id":"sess-1","started_at":"2026-01-24T09:00:00Z","active_at":"2026-01-24T09:00:00Z"}`)
			m.ok(os.Symlink(m.path("secret"), m.path("blue/.blue/session")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			make(m)
			a := m.in("blue", nil)
			_, err := a.SessionStop(t.Context(), query.SessionStopParams{})
			refused(t, err, store.NotFound, "No active session")
			s, err := a.SessionStart(t.Context(), query.SessionStartParams{})
			if err != nil || s.Status != "success" {
				t.Errorf("%+v, %v", s, err)
			}
			if text, err := os.ReadFile(m.path("secret")); err == nil && !strings.Contains(string(text), "sess-1") {
				t.Error("a file outside was written")
			}
		})
	}
	m := newMachine(t)
	m.ok(os.RemoveAll(m.path("blue/.blue")))
	m.write("elsewhere/config.yaml", "realm: {name: aperture, path: ../realm}\nrepo: blue")
	m.ok(os.Symlink(m.path("elsewhere"), m.path("blue/.blue")))
	if _, err := m.in("blue", nil).SessionStart(t.Context(), query.SessionStartParams{}); err == nil {
		t.Error("a session was written outside of the project")
	}
	if list, err := os.ReadDir(m.path("elsewhere")); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
}

func TestSessionsNeedAMember(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	_, err := m.in("realm", nil).SessionStart(t.Context(), query.SessionStartParams{})
	refused(t, err, store.Invalid, "the realm's own repository has no sessions")
	_, err = m.in("blue", nil).SessionStart(t.Context(), query.SessionStartParams{RFC: strings.Repeat("x", 201)})
	refused(t, err, store.Invalid, "active_rfc")
	_, err = m.in("blue", nil).SessionStart(t.Context(), query.SessionStartParams{RealmAt: query.RealmAt{Cwd: "/nowhere"}})
	refused(t, err, store.NotFound, "there is no directory /nowhere")
	m.ok(os.Remove(m.path("alone/.blue/config.yaml")))
	_, err = m.in("alone", nil).SessionStart(t.Context(), query.SessionStartParams{})
	refused(t, err, store.NotFound, "not in a realm repo")
}

// worktrees makes work trees, and returns the answer with the top of the machine as TOP.
func (m *machine) worktrees(in, rfc string, repos ...string) string {
	m.Helper()
	w, err := m.in(in, nil).WorktreeCreate(m.Context(), query.WorktreeCreateParams{RFC: rfc, Repos: repos})
	if err != nil {
		return err.Error()
	}
	text, err := json.Marshal(w)
	m.ok(err)
	return strings.ReplaceAll(string(text), m.top, "TOP")
}

func TestWorkTreesOfPeers(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.git("fungal", "branch", "rfc-1")                       // here
	m.git("fungal", "push", "-q", "origin", "main:far/away") // at the origin alone
	m.git("blue", "clone", "-q", m.path("blue.git"), m.path("other"))
	m.commit("other", "newer")
	m.git("other", "push", "-q", "origin", "HEAD:main")
	const in = `TOP/home/.blue/worktrees/aperture/`
	want := `{"status":"success","rfc":"rfc-1","realm":"aperture","reason":"Domain peers via s3",` +
		`"created":["blue","fungal"],"existing":[],"paths":{"blue":"` + in + `rfc-1/blue","fungal":"` +
		in + `rfc-1/fungal"},` +
		`"errors":[],"next_steps":["cd ` + in + `rfc-1/blue to start working","Use session_start to track your work"]}`
	if diff := cmp.Diff(want, m.worktrees("blue", "rfc-1")); diff != "" {
		t.Error(diff)
	}
	if on := m.git("home/.blue/worktrees/aperture/rfc-1/blue", "log", "-1", "--format=%s"); on != "newer" {
		t.Errorf("it begins at %s, not at what the origin has", on)
	}
	m.write("home/.blue/worktrees/aperture/rfc-1/blue/work", "mine")
	again := strings.Replace(want, `"created":["blue","fungal"],"existing":[]`,
		`"created":[],"existing":["blue","fungal"]`, 1)
	if diff := cmp.Diff(again, m.worktrees("blue", "rfc-1")); diff != "" {
		t.Error(diff)
	}
	if text, err := os.ReadFile(m.path("home/.blue/worktrees/aperture/rfc-1/blue/work")); string(text) != "mine" {
		t.Errorf("work is gone: %v", err)
	}
	for _, tt := range []struct{ in, rfc, repo, branch, reason string }{
		{"fungal", "far/away", "fungal", "far/away", "Domain peers via s3"},
		{"fungal", "new-api", "fungal", "rfc/new-api", "Domain peers via s3"},
		{"alone", "new-api", "alone", "rfc/new-api", "No other repository shares a domain"},
	} {
		if got := m.worktrees(tt.in, tt.rfc); !strings.Contains(got, `"reason":"`+tt.reason+`"`) ||
			!strings.Contains(got, `"status":"success"`) {
			t.Errorf("%s in %s: %s", tt.rfc, tt.in, got)
		}
		if on := m.git("home/.blue/worktrees/aperture/"+tt.rfc+"/"+tt.repo, "symbolic-ref", "--short", "HEAD"); on !=
			tt.branch {
			t.Errorf("%s of %s is on %s", tt.rfc, tt.repo, on)
		}
	}
}

// What is in the way is never overwritten, and the other repositories proceed.
func TestWorkTreesOverwriteNothing(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	in := "home/.blue/worktrees/aperture/"
	m.write(in+"x/blue/notes", "mine")
	m.write(in+"y/blue", "a file")
	m.git("blue", "checkout", "-q", "-b", "rfc/z")
	m.worktrees("fungal", "w", "fungal")
	m.git(in+"w/fungal", "checkout", "-q", "-b", "elsewhere")
	for _, tt := range []struct{ rfc, want string }{
		{"x", `"errors":["blue: TOP/` + in + `x/blue is there already, and is no work tree of TOP/blue"]`},
		{"y", `"errors":["blue: TOP/` + in + `y/blue is there already, and is no directory"]`},
		{"z", `"errors":["blue: its branch rfc/z is checked out in TOP/blue"]`},
		{"w", `"errors":["fungal: TOP/` + in + `w/fungal is there already, on elsewhere instead of rfc/w"]`},
		{"w/fungal", `"errors":["blue: TOP/` + in + `w/fungal is a work tree already; choose another name than w/fungal",` +
			`"fungal: TOP/` + in + `w/fungal is a work tree already; choose another name than w/fungal"]`},
	} {
		got := m.worktrees("blue", tt.rfc, "blue", "fungal")
		if !strings.Contains(got, tt.want) || strings.Contains(got, `"success"`) {
			t.Errorf("%s: %s, want %s", tt.rfc, got, tt.want)
		}
	}
	if text, err := os.ReadFile(m.path(in + "x/blue/notes")); string(text) != "mine" {
		t.Errorf("notes are gone: %v", err)
	}
	m.ok(os.RemoveAll(m.path(in + "x/fungal"))) // git does not know
	if got := m.worktrees("fungal", "x", "fungal"); !strings.Contains(got, `"created":["fungal"]`) {
		t.Error(got)
	}
}

func TestNamesAreNoPaths(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	before := m.all()
	for _, rfc := range []string{"", "..", "../x", "a/../../x", "/etc", "-b", "a..b", "a b", "~", "a\x00b", ".git",
		"a.lock", "$(x)", "a\nb"} {
		if got := m.worktrees("blue", rfc); !strings.HasPrefix(got, "rfc is not valid") {
			t.Errorf("%q: %s", rfc, got)
		}
	}
	if got := m.worktrees("blue", "r", []string{}...); got == "" {
		t.Error("no answer")
	}
	m.git("blue", "worktree", "prune")
	_, err := m.in("blue", nil).WorktreeCreate(t.Context(), query.WorktreeCreateParams{RFC: "s", Repos: []string{}})
	refused(t, err, store.Invalid, "repos names no repository")
	got := m.worktrees("blue", "s", "../../x", "nobody", "..", "")
	if !strings.Contains(got, `"status":"error"`) || strings.Count(got, "it is no member of the realm\"") < 4 {
		t.Error(got)
	}
	if after := strings.ReplaceAll(m.all(), "/r/", "/"); strings.Contains(after, "/s/") ||
		strings.Contains(before, "/s/") {
		t.Error("something was made")
	}
	m.write("realm/realm.yaml", "name: ../../evil")
	if got := m.worktrees("blue", "t"); !strings.Contains(got, "cannot be a directory") {
		t.Error(got)
	}
	m.write("realm/realm.yaml", "name: aperture")
	m.write("realm/repos/evil.yaml", "name: ../../evil\npath: ../blue")
	if got := m.worktrees("blue", "t", "../../evil"); !strings.Contains(got, "it is no member of the realm") {
		t.Error(got)
	}
	if _, err := os.Stat(m.path("evil")); err == nil {
		t.Error("a directory was made outside")
	}
}

// one returns how far a repository is.
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
	g.AddPull("acme/blue", githubtest.Pull{Number: 42, HeadRef: "rfc/7", Title: "RFC 7"})
	g.AddPull("acme/blue", githubtest.Pull{Number: 43, HeadRef: "rfc/7", HeadRepo: "eve/blue"})
	g.AddPull("acme/fungal", githubtest.Pull{Number: 5, HeadRef: "rfc/7", Draft: true, Mergeable: "draft"})
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
		{func(p *githubtest.Pull) { p.Mergeable = "unstable" }, []string{"checks failed"}},
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

// What the branches for an RFC say together counts, and an error of contracts is in the way.
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
