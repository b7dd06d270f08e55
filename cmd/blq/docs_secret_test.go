package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A document has a value that is secret in the environment. Answers quote the document without the value, and keep
// examples in it.
func TestQuotedDocumentsHaveNoSecretsOfTheEnvironment(t *testing.T) {
	t.Parallel()
	const secret = "correct-horse-9"
	dir := t.TempDir()
	gitIn(t, dir, "init", "-q")
	check(t, os.WriteFile(filepath.Join(dir, "login.md"),
		[]byte("# Login\n\nLog in with "+secret+", or set PASSWORD=example7.\n"), 0o644))
	gitIn(t, dir, "add", ".")
	gitIn(t, dir, "commit", "-qm", "x")
	check(t, blq(dir, "init").Run())
	for _, args := range [][]string{{"docs", "find", "login"}, {"docs", "get", "docs/login.md:1-3", "--json"}} {
		cmd := blq(dir, args...)
		cmd.Env = append(cmd.Env, "DEPLOY_TOKEN="+secret)
		out, err := cmd.CombinedOutput()
		if err != nil || strings.Contains(string(out), secret) || !strings.Contains(string(out), "PASSWORD=example7") {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
}
