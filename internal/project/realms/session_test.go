//go:build unix

package realms_test

import (
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

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
	m.write("blue/.blue/contracts/s3/c.yaml", contract("1.0.0", "integer")) // the original content
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
		24 * time.Hour: "24h 0m", 60 * time.Hour: "24h 0m", // the session had already ended
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

// The session file may come with the repository and have any content. A hostile file counts as no session, and nothing
// outside of the project is written.
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
	for _, rfc := range []string{strings.Repeat("x", 201), "rfc-1\nStatus: done", "rfc\t1", "rfc\x1b[31m"} {
		_, err = m.in("blue", nil).SessionStart(t.Context(), query.SessionStartParams{RFC: rfc})
		refused(t, err, store.Invalid, "active_rfc")
	}
	_, err = m.in("blue", nil).SessionStart(t.Context(), query.SessionStartParams{RealmAt: query.RealmAt{Cwd: "/nowhere"}})
	refused(t, err, store.NotFound, "there is no directory /nowhere")
	m.ok(os.Remove(m.path("alone/.blue/config.yaml")))
	_, err = m.in("alone", nil).SessionStart(t.Context(), query.SessionStartParams{})
	refused(t, err, store.NotFound, "not in a realm repo")
}
