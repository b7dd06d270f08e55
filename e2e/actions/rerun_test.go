//go:build e2e

package actions

import (
	"os"
	"path/filepath"
	"testing"
)

// TestOneCommentForJobsAttemptsAndCommits checks that a pull request has one comment. The comment is updated after a
// second attempt and after a new commit.
func TestOneCommentForJobsAttemptsAndCommits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "testdata/jobs")
	if h := w.act(w.push()); h.code != 0 {
		t.Fatalf("a push ended with %d", h.code)
	}
	w.git("checkout", "-q", "-b", "feature")
	write := func(name, text string) { check(t, os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644)) }
	write("build.sh", "echo \"main.c:10:5: error: 'x' undeclared\"; exit 2\n")
	write("test.sh", "[ $GITHUB_RUN_ATTEMPT = 2 ] || { printf -- '--- FAIL: TestClock (0.00s)\\n    clock_test.go:9: "+
		"late\\nFAIL\\n'; exit 1; }\n")
	w.commit()
	e := w.pull(repoName)
	w.act(e)
	w.comment("### ❌ 2 failed: 2 new\n", "main.c:10:5", "TestClock", "1 step passed")
	first := w.github.Comments(repoName, number)[0]
	e.attempt = 2
	w.act(e)
	w.comment("### ❌ 1 failed: 1 new, 1 flaky step\n", "main.c:10:5", "2 steps passed", "/attempts/1", "/attempts/2")
	write("build.sh", "echo built\n")
	write("test.sh", "echo ok\n")
	w.github.Push(repoName, number, w.commit())
	if h := w.act(w.again(e, 103)); h.code != 0 {
		t.Errorf("the mended pull request ended with %d", h.code)
	}
	w.comment("### ✅ all 3 steps passed\n")
	if last := w.github.Comments(repoName, number)[0]; last.ID != first.ID {
		t.Error("the comment is another one")
	}
}
