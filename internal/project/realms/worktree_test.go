//go:build unix

package realms_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// worktrees creates work trees, and returns the answer. TOP replaces the top of the machine.
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
	m.git("fungal", "branch", "rfc-1")                       // local
	m.git("fungal", "push", "-q", "origin", "main:far/away") // only at the origin
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

// Existing files are never overwritten, and the other repositories proceed.
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
		{"x", `"errors":["blue: TOP/` + in + `x/blue is there already, and is not a work tree of TOP/blue"]`},
		{"y", `"errors":["blue: TOP/` + in + `y/blue is there already, and is not a directory"]`},
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
	m.ok(os.RemoveAll(m.path(in + "x/fungal"))) // git does not know this
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
	if !strings.Contains(got, `"status":"error"`) || strings.Count(got, "it is not a member of the realm\"") < 4 {
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
	if got := m.worktrees("blue", "t", "../../evil"); !strings.Contains(got, "it is not a member of the realm") {
		t.Error(got)
	}
	if _, err := os.Stat(m.path("evil")); err == nil {
		t.Error("a directory was made outside")
	}
}
