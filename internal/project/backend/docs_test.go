package backend_test

import (
	"fmt"
	"os"
	gitexec "os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// The parts of an answer look up the files of the same commits.
func TestFilesOfACommitAreListedOnceForAQuestion(t *testing.T) {
	root := querytest.Repository(t)
	out, err := gitexec.Command("git", "-C", root, "rev-parse", "HEAD").Output()
	check(t, err)
	real, err := gitexec.LookPath("git")
	check(t, err)
	bin := t.TempDir()
	log := filepath.Join(bin, "log")
	script := fmt.Sprintf("#!/bin/sh\necho \"$@\" >>%s\nexec %s \"$@\"\n", log, real)
	check(t, os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755))
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	a := asker(t, backendOf(t, root))
	for range 3 {
		_, err := a.Docs.Facts.At(t.Context(), facts.Query{At: strings.TrimSpace(string(out)), Kind: store.FactCode})
		check(t, err)
	}
	text, err := os.ReadFile(log)
	check(t, err)
	if n := strings.Count(string(text), "ls-tree"); n != 1 {
		t.Errorf("the files were listed %d times:\n%s", n, text)
	}
}
