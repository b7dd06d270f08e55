//go:build unix

package realms_test

import (
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

// Nothing is known of a member without a clone. It has nothing to push, and no place in the order.
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
