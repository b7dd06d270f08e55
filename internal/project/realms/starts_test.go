//go:build unix

package realms_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blq-ci/blq/query"
)

// TestEachRepositoryIsAskedOnce counts the starts of git for a check. Git lists the branches of each repository once.
// The files at the baseline of a clean work tree are those of the work tree, so git does not list them again.
func TestEachRepositoryIsAskedOnce(t *testing.T) {
	m := newMachine(t)
	program, err := exec.LookPath("git")
	m.ok(err)
	m.write("bin/git", "#!/bin/sh\necho \"${PWD##*/} $*\" >> '"+m.path("starts")+"'\nexec '"+program+"' \"$@\"\n")
	m.ok(os.Chmod(m.path("bin/git"), 0o755))
	t.Setenv("PATH", m.path("bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	_, err = m.in("fungal", nil).RealmCheck(t.Context(), query.RealmCheckParams{})
	m.ok(err)
	m.ok(os.Remove(m.path("starts"))) // only the first question reads the past, for notifications
	r, err := m.in("fungal", nil).RealmCheck(t.Context(), query.RealmCheckParams{})
	m.ok(err)
	if r.Baseline == nil {
		t.Error("there is no baseline")
	}
	text, err := os.ReadFile(m.path("starts"))
	m.ok(err)
	for _, verb := range []string{" for-each-ref ", " ls-tree ", " status "} {
		for _, repo := range []string{"fungal", "realm", "blue"} {
			n := 0
			for line := range strings.Lines(string(text)) {
				if strings.HasPrefix(line, repo+" ") && strings.Contains(line, verb) {
					n++
				}
			}
			want := 1
			if repo == "blue" && verb != " for-each-ref " { // it is read at a commit, which the first question has listed
				want = 0
			}
			if n != want {
				t.Errorf("git%sin %s was started %d times, want %d", verb, repo, n, want)
			}
		}
	}
	if strings.Contains(string(text), "rev-parse") || strings.Contains(string(text), "merge-base") {
		t.Errorf("git looked for a commit that was known:\n%s", text)
	}
}
