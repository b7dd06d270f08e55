//go:build unix

package realms_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/project/realms"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/sqlite/sqlitetest"
)

// machine is a machine with clones of a realm and its members. blue owns a contract, fungal imports it, and alone is
// in no domain.
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

// commit commits all files of a repository. It creates the repository if it does not exist.
func (m *machine) commit(dir, message string) {
	m.Helper()
	if _, err := os.Stat(m.path(dir + "/.git")); err != nil {
		m.git(dir, "init", "-q")
	}
	m.git(dir, "add", "-A")
	m.git(dir, "commit", "-q", "--allow-empty", "-m", message)
}

// in returns the asker in a repository. forge may be nil.
func (m *machine) in(repo string, forge realms.Forge) *query.Asker {
	p := realms.Project{Root: m.path(repo), Home: m.path("home")}
	w := realms.Work{Project: p}
	if forge != nil {
		w.Forge = forge
	}
	return &query.Asker{Store: sqlitetest.Open(m), Scope: store.Everything(), Realms: p, Work: w,
		Now: func() time.Time { return m.now }}
}

// all returns the paths in the machine's directory without git's objects and logs. Tests use it to find new and removed
// files.
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

// The realm's own repository is checked with the contracts that members keep in their repositories.
func TestTheRealmItselfIsCheckedWithItsMembers(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.write("blue/.blue/contracts/s3/own.yaml", "name: own\n"+contract("1.2.0", "integer"))
	m.commit("blue", "own")
	m.git("blue", "push", "-q", "origin", "main")
	m.write("realm/domains/s3/bindings/blue.yaml", "exports: [c, own]")
	m.write("realm/domains/s3/bindings/fungal.yaml", "imports: [c, {contract: own, version: ^2.0}]")
	m.commit("realm", "two")
	for _, repo := range []string{"realm", "fungal"} {
		checked, err := m.in(repo, nil).RealmCheck(t.Context(), query.RealmCheckParams{})
		m.ok(err)
		if len(checked.Errors) != 1 || checked.Errors[0].Kind != "VersionMismatch" || len(checked.SchemaHashes) != 2 {
			t.Errorf("%s: %+v", repo, checked)
		}
	}
}
