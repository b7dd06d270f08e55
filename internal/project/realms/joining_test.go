//go:build unix

package realms_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/blq-ci/blq/query"
)

// A repository that names a realm is told if the realm does not name it.
func TestARepositoryThatTheRealmDoesNotName(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	const step = "Add repos/alone.yaml to the realm, so that alone is a member"
	look := func() []string {
		t.Helper()
		s, err := m.in("alone", nil).RealmStatus(t.Context(), query.RealmStatusParams{})
		m.ok(err)
		return s.NextSteps
	}
	if steps := look(); slices.Contains(steps, step) {
		t.Errorf("it is a member: %q", steps)
	}
	m.git("realm", "rm", "-q", "repos/alone.yaml")
	if steps := look(); !slices.Contains(steps, step) {
		t.Errorf("%q, want %s", steps, step)
	}
}

// The state of a member without a clone is unknown. The member counts as not pushed, and has no place in the order. The
// only next step is to look at the member.
func TestPullRequestsOfAMemberWithoutAClone(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.write("realm/repos/far.yaml", "path: ../far")
	s, err := m.in("blue", nil).PRStatus(t.Context(), query.PRStatusParams{})
	m.ok(err)
	steps := strings.Join(s.NextSteps, "; ")
	if !strings.HasPrefix(steps, "Look at far: there is no clone at ") || len(s.NextSteps) != 1 || len(s.Order) > 0 ||
		s.Summary.Pushed {
		t.Errorf("%q, order %q, %+v", steps, s.Order, s.Summary)
	}
}

// A contract that is a symbolic link is not read. The answer says so, because the file seems to be there.
func TestContractsThatAreLinks(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.write("c.yaml", contract("1.0.0", "integer"))
	const file = "domains/s3/contracts/c.yaml"
	look := func(repo string) string {
		t.Helper()
		r, err := m.in(repo, nil).RealmCheck(t.Context(), query.RealmCheckParams{})
		m.ok(err)
		var all []string
		for _, e := range r.Errors {
			all = append(all, e.Message)
		}
		return strings.Join(all, "\n")
	}
	m.ok(os.Remove(m.path("realm/" + file)))
	m.ok(os.Symlink(m.path("c.yaml"), m.path("realm/"+file)))
	const want = file + " is a symbolic link, and links are not read"
	for _, how := range []string{"changed", "committed"} {
		for _, repo := range []string{"realm", "blue", "fungal"} {
			if got := look(repo); !strings.Contains(got, want) {
				t.Errorf("%s, %s: %s", how, repo, got)
			}
		}
		m.commit("realm", "link")
	}
	m.ok(os.MkdirAll(m.path("blue/.blue/contracts/s3"), 0o755))
	m.ok(os.Symlink(m.path("c.yaml"), m.path("blue/.blue/contracts/s3/own.yaml"))) // not even known to git
	if got := look("blue"); !strings.Contains(got, ".blue/contracts/s3/own.yaml is a symbolic link") {
		t.Error(got)
	}
	m.ok(os.Rename(m.path("alone/.blue/config.yaml"), m.path("config.yaml")))
	m.ok(os.Symlink(m.path("config.yaml"), m.path("alone/.blue/config.yaml")))
	_, err := m.in("alone", nil).RealmCheck(t.Context(), query.RealmCheckParams{})
	refused(t, err, "invalid", ".blue/config.yaml is a symbolic link, and links are not read")
}
