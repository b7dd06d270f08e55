//go:build e2e

package actions

import (
	"os"
	"strings"
	"testing"
)

// TestContainerActions runs the container actions in images that are built from the Dockerfile. The jobs with these
// actions run in plain Debian. So the test shows that the images have everything that a step needs.
func TestContainerActions(t *testing.T) {
	w := newWorld(t, "testdata/container")
	w.actions, w.image = published(t, false), os.Getenv("BLQ_E2E_JOB_IMAGE")
	if w.image == "" {
		t.Fatal("script/e2e-actions.sh builds the images for this")
	}
	h := w.act(w.push())
	if h.code != 0 || !strings.Contains(h.log, "outputs: OK") ||
		!strings.Contains(h.log, "made by the container: main.o sum.o") {
		t.Fatalf("a push ended with %d", h.code)
	}
	w.git("checkout", "-q", "-b", "feature")
	w.edit("sum.c", "total += values[i];", "total += value[i];")
	w.commit()
	pull := w.act(w.pull(repoName))
	if pull.code == 0 || !strings.Contains(pull.log, "outputs: FAIL 1") {
		t.Errorf("the pull request ended with %d", pull.code)
	}
	w.comment("### ❌ 1 failed: 1 new\n", "[`sum.c:6:26`]")
	if n := w.runs(); n != 2 {
		t.Errorf("the service has %d runs", n)
	}
	for _, h := range []happened{h, pull} {
		if !strings.Contains(h.log, "not of the owner:\n") || strings.Contains(h.log, "::warning title=blq") {
			t.Error("files are left to another user, or something was lost")
		}
		if !strings.Contains(h.log, "set-output:: failed=") {
			t.Error("summary or outputs are not there")
		}
	}
}

// TestContainerProgramComments checks that a step writes its comment with the program in the report's image.
func TestContainerProgramComments(t *testing.T) {
	w := newWorld(t, example("pytest"))
	w.actions = published(t, false)
	w.git("checkout", "-q", "-b", "feature")
	w.edit("shop.py", "(100 - discount)", "(101 - discount)")
	w.commit()
	if h := w.act(w.pull(repoName)); h.code == 0 || strings.Contains(h.log, "::warning title=blq") {
		t.Errorf("act ended with %d", h.code)
	}
	w.comment("### ❌ 2 failed\n", "test_shop.py")
}
