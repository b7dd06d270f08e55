//go:build unix

package main

import (
	"os"
	"strings"
	"testing"
)

// The names of folders contain characters that are special in patterns. blq must find the masks and the test reports in
// these folders nevertheless.
func TestNamesOfFoldersAreNoPatterns(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.env["RUNNER_TEMP"] = r.path("[temp]")
	check(t, os.Mkdir(r.path("[temp]"), 0o755))
	r.file("work/app/app/[slug]/out/junit.xml",
		`<testsuite><testcase classname="a" name="b"><failure message="plain-words"/></testcase></testsuite>`)
	r.step(map[string]string{"run": "echo '::add-mask::plain-words'", "name": "one"})
	r.nextStep()
	_, notes, _ := r.step(map[string]string{"run": "touch out/junit.xml; exit 1", "name": "two",
		"working-directory": "[slug]", "reports": "out/*.xml"})
	if !strings.Contains(notes, "a.b: ***\n") {
		t.Errorf("the annotations are %s", notes)
	}
	r.hides(r.left(notes), "plain-words")
}

// Without a working directory, patterns of reports are relative to the workspace.
func TestReportsOfTheWorkspace(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.file("work/app/app/junit.xml", `<testsuite><testcase classname="a" name="b"><failure message="no"/></testcase></testsuite>`)
	for _, pattern := range []string{"*.xml", "**/junit.xml", "./**/*.xml"} {
		_, notes, _ := r.step(map[string]string{"run": "touch junit.xml; exit 1", "name": "one", "reports": pattern})
		if !strings.Contains(notes, "a.b: no\n") {
			t.Errorf("%s: the annotations are %s", pattern, notes)
		}
	}
}
