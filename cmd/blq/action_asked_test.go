//go:build unix

package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// An earlier step has masked a value that is also in a source file. A question in a later step does not print the
// value. The test has one later step that blq runs, and one that the runner runs.
func TestQuestionsInAJobKnowTheMasksOfEarlierSteps(t *testing.T) {
	t.Parallel()
	const secret = "plain-words"
	r := newRunner(t)
	r.file("work/app/app/main.c", "int a = \""+secret+"\";\n")
	r.step(map[string]string{"run": "echo '::add-mask::" + secret + "'", "name": "one"})
	r.nextStep()
	r.step(map[string]string{"run": "true\necho \"main.c:1:5: error: 'a' undeclared\"; exit 1", "name": "two"})
	r.env["BLQ_DIR"] = r.path("temp/blq/store")
	ask := program + ` inspect two:2:1 >"$RUNNER_TEMP/shown"`
	shown := func(by string) {
		text, err := os.ReadFile(r.path("temp/shown"))
		check(t, err)
		if !strings.Contains(string(text), "int a = ") || strings.Contains(string(text), secret) {
			t.Errorf("%s shows %s", by, text)
		}
		check(t, os.Remove(r.path("temp/shown")))
	}
	if out, err := r.with(exec.Command("sh", "-c", ask)).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	shown("a step without blq")
	if out, notes, state := r.step(map[string]string{"run": "true\n" + ask, "name": "three"}); !state.Success() {
		t.Fatalf("%s%s", out, notes)
	}
	shown("a step of blq")
}
