//go:build unix

package main

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// actionsRunner is a job with the folders, files and variables of GitHub's runner.
type actionsRunner struct {
	*testing.T
	dir string
	env map[string]string
}

func newRunner(t *testing.T) *actionsRunner {
	t.Helper()
	r := &actionsRunner{T: t, dir: t.TempDir(), env: map[string]string{}}
	for _, d := range []string{"temp", "work/app/app", "files", "_temp"} {
		check(t, os.MkdirAll(r.path(d), 0o755))
	}
	maps.Copy(r.env, map[string]string{
		"GITHUB_ACTIONS": "true", "CI": "true", "RUNNER_TEMP": r.path("temp"), "RUNNER_WORKSPACE": r.path("work/app"),
		"GITHUB_WORKSPACE": r.path("work/app/app"), "GITHUB_OUTPUT": r.path("files/output"),
		"GITHUB_ENV":   r.path("files/env"),
		"GITHUB_STATE": r.path("files/state"), "GITHUB_STEP_SUMMARY": r.path("files/summary"),
		"GITHUB_REPOSITORY": "acme/app", "GITHUB_RUN_ID": "77",
		"GITHUB_RUN_ATTEMPT": "1", "GITHUB_JOB": "ci", "GITHUB_SHA": strings.Repeat("a", 40), "GITHUB_REF": "refs/heads/main",
		"GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": "", "GITHUB_ACTION": "__run", "BLQ_MATRIX": "",
		"BLQ_CHECK_RUN_ID": "",
	})
	return r
}

func (r *actionsRunner) path(elem string) string { return filepath.Join(r.dir, elem) }

// with gives a command the job's workspace and environment, and returns the command.
func (r *actionsRunner) with(cmd *exec.Cmd) *exec.Cmd {
	cmd.Dir = r.env["GITHUB_WORKSPACE"]
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	for k, v := range r.env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	return cmd
}

// step runs a step of the action with inputs. It returns the step's output, blq's messages, and the state of the ended
// process.
func (r *actionsRunner) step(inputs map[string]string) (out, notes string, state *os.ProcessState) {
	r.Helper()
	return finished(r.action("run", inputs))
}

// action returns the command for a part of the action, such as run or post.
func (r *actionsRunner) action(part string, inputs map[string]string) *exec.Cmd {
	r.Helper()
	cmd := r.with(blq("", "action", part))
	for k, v := range inputs {
		cmd.Env = append(cmd.Env, "BLQ_INPUT_"+strings.ToUpper(strings.ReplaceAll(k, "-", "_"))+"="+v)
	}
	return cmd
}

func finished(cmd *exec.Cmd) (string, string, *os.ProcessState) {
	var out, notes bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &notes
	_ = cmd.Run() // the caller checks how it ended
	return out.String(), notes.String(), cmd.ProcessState
}

// outputs reads the outputs as the runner does.
func (r *actionsRunner) outputs() map[string]string {
	r.Helper()
	text, _ := os.ReadFile(r.env["GITHUB_OUTPUT"])
	got := map[string]string{}
	for rest := string(text); rest != ""; {
		name, after, ok := strings.Cut(rest, "<<")
		delimiter, after, ok2 := strings.Cut(after, "\n")
		value, after, ok3 := strings.Cut(after, "\n"+delimiter+"\n")
		if !ok || !ok2 || !ok3 {
			r.Fatalf("outputs are %q", text)
		}
		got[name], rest = value, after
	}
	return got
}

func (r *actionsRunner) file(name, text string) string {
	r.Helper()
	path := r.path(name)
	check(r.T, os.MkdirAll(filepath.Dir(path), 0o755))
	check(r.T, os.WriteFile(path, []byte(text), 0o755))
	return path
}

const brokenBuild = `echo "main.c:10:5: error: 'x' undeclared"
echo "main.c:12:5: warning: unused variable 'y' [-Wunused-variable]" >&2
exit 2`
