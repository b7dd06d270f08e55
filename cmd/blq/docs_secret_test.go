package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A document has a value that is secret in the environment, and an example of a password. Answers quote the document
// without the secret value, but with the example.
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

// A secret may be a part of a folder's name, of a symbol's name or of a heading. Answers about documents and the
// architecture do not show the secret.
func TestNamesOfNodesAndHeadingsHaveNoSecrets(t *testing.T) {
	t.Parallel()
	const secret = "Zr4kq9WbT7pLx2vN8eQ"
	dir := t.TempDir()
	gitIn(t, dir, "init", "-q")
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n", "lib" + secret + "/x.go": "package x\n\nconst key" + secret + " = 1\n",
		"main.go": "package main\n", "login.md": "# Log in with " + secret + "\n\nSee [main](main.go).\n",
	} {
		file := filepath.Join(dir, name)
		check(t, os.MkdirAll(filepath.Dir(file), 0o755))
		check(t, os.WriteFile(file, []byte(text), 0o644))
	}
	gitIn(t, dir, "add", ".")
	gitIn(t, dir, "commit", "-qm", "x")
	check(t, blq(dir, "init").Run())
	run := blq(dir, "run", "-n", "build", "--", "echo", "main.go:1:1: undefined: x")
	check(t, run.Run())
	for _, args := range [][]string{{"docs", "find", "login"}, {"docs", "get", "docs/login.md:1-3"}, {"docs", "toc"},
		{"graph", "show"}, {"graph", "list"}, {"graph", "prime"}, {"graph", "docs"}, {"graph", "search", "lib" + secret},
		{"inspect", "build:1:1"}, {"triage"}} {
		for _, form := range [][]string{nil, {"--json"}} {
			cmd := blq(dir, append(args[:len(args):len(args)], form...)...)
			cmd.Env = append(cmd.Env, "DEPLOY_TOKEN="+secret)
			out, err := cmd.CombinedOutput()
			if err != nil || strings.Contains(string(out), secret) {
				t.Errorf("%v: %v\n%s", args, err, out)
			}
		}
	}
}
