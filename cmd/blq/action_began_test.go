//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// If the step uploads artifacts, the artifact shows during the step that the run began. So if blq is killed, no report
// counts the step as one that never ran.
func TestAnArtifactStandsWhileTheStepRuns(t *testing.T) {
	t.Parallel()
	for upload, left := range map[string]string{"always": `"status": "OK"`, "on-failure": "", "never": ""} {
		r := newRunner(t)
		out, _, _ := r.step(map[string]string{"run": `cat "$RUNNER_TEMP"/blq/artifacts/*/run.json 2>&1 || true`,
			"upload": upload})
		if strings.Contains(out, `"status": "RUNNING"`) != (upload != "never") {
			t.Errorf("upload %s: while the step runs: %s", upload, out)
		}
		files, err := filepath.Glob(filepath.Join(r.env["RUNNER_TEMP"], "blq/artifacts/*/run.json"))
		check(t, err)
		text := ""
		for _, file := range files {
			b, err := os.ReadFile(file)
			check(t, err)
			text += string(b)
		}
		if (left == "") != (text == "") || !strings.Contains(text, left) {
			t.Errorf("upload %s: after the step: %s", upload, text)
		}
	}
}
