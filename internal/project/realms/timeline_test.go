//go:build unix

package realms_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/query"
)

// commitAgo commits all files, with a commit time some hours before now, and pushes the commit.
func (m *machine) commitAgo(dir string, hours int) {
	m.Helper()
	m.git(dir, "add", "-A")
	cmd := exec.CommandContext(m.Context(), "git", "-c", "user.name=a", "-c", "user.email=a@example.com",
		"-c", "commit.gpgsign=false", "commit", "-q", "-m", "changed")
	cmd.Dir = m.path(dir)
	cmd.Env = append(os.Environ(),
		"GIT_COMMITTER_DATE="+time.Now().Add(-time.Duration(hours)*time.Hour).Format(time.RFC3339))
	if out, err := cmd.CombinedOutput(); err != nil {
		m.Fatalf("%s: %v\n%s", dir, err, out)
	}
	m.git(dir, "push", "-q", "origin", "main")
}

// unseen returns the notifications that a member has not seen.
func (m *machine) unseen(name string) string {
	m.Helper()
	r, err := m.in(name, nil).NotificationsList(m.Context(), query.NotificationsListParams{State: "pending"})
	m.ok(err)
	var all []string
	for _, n := range r.Notifications {
		all = append(all, strings.TrimSpace(n.Contract+" "+n.ChangeType+" "+n.Changes.NewVersion))
	}
	return strings.Join(all, ", ")
}

// A member may have its import in its own repository. The member is told what changed while it had the import.
func TestAMemberIsToldWhatChangedWhileItImported(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.git("realm", "rm", "-q", "domains/s3/bindings/fungal.yaml")
	m.commit("realm", "the binding is in the repository")
	const contract, binding = "blue/.blue/contracts/s3/d.yaml", "fungal/.blue/contracts/s3/bindings/fungal.yaml"
	const config = "blue/.blue/config.yaml"
	for i, c := range []struct{ file, text, want string }{
		{contract, "version: 1.0.0", "d ContractAdded 1.0.0"},
		{contract, "version: 1.1.0", ""}, // nobody imports it yet
		{binding, "imports: [c, d]", ""},
		{contract, "version: 1.2.0", "d VersionChanged 1.2.0"},
		{contract, "", "d ContractRemoved"},
		{binding, "imports: [c]", ""},
		{contract, "version: 3.0.0", "d ContractAdded 3.0.0"},
		{contract, "version: 4.0.0", ""},
		// A file that cannot be read removes no contract. The next version is compared with the last version that could
		// be read.
		{contract, "version: [", ""},
		{config, "realm: [", ""},
		{config, "realm: realm\nrepo: blue", ""},
		{contract, "version: 5.0.0", ""},
		{binding, "imports: [c, d]", ""},
		{contract, "version: [", ""},
		{contract, "version: 6.0.0", "d VersionChanged 6.0.0"},
	} {
		m.write(c.file, c.text)
		if c.text == "" {
			m.ok(os.Remove(m.path(c.file)))
		}
		repo, _, _ := strings.Cut(c.file, "/")
		m.commitAgo(repo, 20-i)
		if told := m.unseen("fungal"); told != c.want {
			t.Errorf("%s %s: told %q, want %q", c.file, c.text, told, c.want)
		}
	}
}

// A commit that changes only the file of a schema counts. So a new version is compared with the commit before it.
func TestANewVersionIsComparedWithTheCommitBefore(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	const contract, schema = "blue/.blue/contracts/s3/d.yaml", "blue/api/d.graphql"
	compatible := func() string {
		r, err := m.in("fungal", nil).NotificationsList(t.Context(), query.NotificationsListParams{State: "pending"})
		m.ok(err)
		var all []string
		for _, n := range r.Notifications {
			if n.Changes.Compatible != nil {
				all = append(all, fmt.Sprint(n.Changes.NewVersion, " ", *n.Changes.Compatible))
			}
		}
		return strings.Join(all, ", ")
	}
	m.write("fungal/.blue/contracts/s3/bindings/fungal.yaml", "imports: [c, d]")
	m.commitAgo("fungal", 9)
	for i, c := range []struct{ version, schema, want string }{
		{"1.0.0", "type Query { a: Int b: Int c: Int }", ""},
		{"1.0.0", "type Query { a: Int b: Int }", ""},
		{"1.1.0", "type Query { a: Int b: Int d: Int }", "1.1.0 true"},
		{"1.2.0", "type Query { a: Int d: Int }", "1.2.0 false"},
	} {
		m.write(contract, "schema_file: api/d.graphql\nversion: "+c.version)
		m.write(schema, c.schema)
		m.commitAgo("blue", 8-i)
		if got := compatible(); got != c.want {
			t.Errorf("%s: told %q, want %q", c.version, got, c.want)
		}
	}
}
