//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// member has the files of a realm's member. The value of the member's contract does not fit the schema of the contract.
var member = map[string]string{
	".blue/config.yaml": "realm: {name: aperture, url: https://git.example.com/acme/realm}\nrepo: blue\n",
	".blue/contracts/s3/permissions.yaml": "version: 1.0.0\nschema: {type: object, required: [level]}\n" +
		"value: {}\nevolution: [{version: 1.0.0, changes: first}]\n",
}

// The Action checks contracts once per job, and records the result as a run named contracts. It asks the service, which
// knows the realm.
func TestActionChecksContracts(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	r := newRunner(t)
	in := map[string]string{"run": "echo fine", "name": "build", "server": s.URL, "token": testToken,
		"fail-on": "new-errors", "wait": "60"}
	realm := map[string]string{}
	for _, f := range txtar.Parse([]byte(realmFiles)).Files {
		if name, ok := strings.CutPrefix(f.Name, "realm/"); ok {
			realm[name] = string(f.Data)
		}
	}
	top := t.TempDir()
	for name, text := range realm {
		check(t, os.MkdirAll(filepath.Join(top, filepath.Dir(name)), 0o755))
		check(t, os.WriteFile(filepath.Join(top, name), []byte(text), 0o644))
	}
	gitIn(t, top, "init", "-q", "-b", "main")
	gitIn(t, top, "add", "-A")
	gitIn(t, top, "commit", "-q", "-m", "one")
	if out, code := printed(t, to(blq(top, "facts", "push", "contracts", "--repo", "acme/realm"), s.URL)); code != 0 {
		t.Fatal(out)
	}
	r.commit(member)
	_, notes, state := r.step(in)
	if state.ExitCode() != 0 || !strings.Contains(notes, "@contracts:") || !strings.Contains(notes, "FAIL (exit code 1)") {
		t.Fatalf("the step ends with %d: %s", state.ExitCode(), notes)
	}
	if _, notes, _ := r.step(in); strings.Contains(notes, "@contracts:") {
		t.Errorf("another step of the job checks again: %s", notes)
	}
	runs, err := s.store.Runs(t.Context(), store.Everything(), store.RunFilter{Source: "contracts"})
	check(t, err)
	if len(runs) != 1 {
		t.Fatalf("%d runs", len(runs))
	}
	found := ""
	page, err := s.store.Events(t.Context(), store.Everything(), store.EventFilter{Runs: store.RunFilter{
		Attempts: []string{runs[0].Attempt}}})
	check(t, err)
	for _, e := range page.Events {
		found += query.Location(e.File, e.Line) + " " + e.Code + "\n"
	}
	if !strings.Contains(found, ".blue/contracts/s3/permissions.yaml:3 ValueInvalid") {
		t.Error(found)
	}
}
