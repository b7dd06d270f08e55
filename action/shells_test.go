//go:build unix

package action_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// bin returns a folder with the programs that the scripts use, and with a shell as sh. It has no bash.
func bin(t *testing.T, shell string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"dirname", "env", "sed", "awk", "chmod", "mkdir", "cut", "head", "mktemp", "sha256sum",
		"tar", "gzip", "find", "mv", "rm", "curl", "cat", "grep"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "sh"), []byte("#!/bin/sh\nexec "+shell+" \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// sysShells returns commands that run the shells of images without bash.
func sysShells(t *testing.T) (list []string) {
	t.Helper()
	for _, shell := range []string{"dash", "busybox sh"} {
		name, args, _ := strings.Cut(shell, " ")
		if path, err := exec.LookPath(name); err == nil {
			list = append(list, strings.TrimSpace(path+" "+args))
		}
	}
	return append(list, "/bin/sh")
}

// Images such as Alpine's have no bash.
func TestTheActionNeedsNoBash(t *testing.T) {
	for _, shell := range sysShells(t) {
		path := "PATH=" + bin(t, shell)
		within := func(env []string, script string, args ...string) (string, int) {
			file, err := filepath.Abs(script)
			if err != nil {
				t.Fatal(err)
			}
			words := append(strings.Fields(shell), file)
			return sh(t, append(env, path), words[0], append(words[1:], args...)...)
		}
		good := packed(t, standIn)
		x := newInstall(t, good, good)
		said, code := within(x.env, filepath.Join(x.dir, "action/install.sh"))
		program := x.dir + "/temp/blq/bin/" + released + "/blq"
		if got := read(t, x.dir+"/output"); got != "shell=sh\npath="+program+"\n" || said != "" || code != 0 {
			t.Errorf("%s: install.sh ended with %d: %s\noutputs: %s", shell, code, said, got)
		}
		if said, code := within([]string{"BLQ_BIN=" + program}, "run.sh", "run"); said != "blq version "+released+"\n" ||
			code != 0 {
			t.Errorf("%s: run.sh ended with %d: %s", shell, code, said)
		}
		said, code = within([]string{"BLQ_INPUT_RUN=echo it runs; exit 3"}, "run.sh", "run")
		if said != "it runs\n" || code != 3 {
			t.Errorf("%s: a step without blq ended with %d: %s", shell, code, said)
		}
		if said, code := within([]string{"RUNNER_TEMP=" + t.TempDir()}, "comment.sh"); code != 0 ||
			!strings.Contains(said, "::warning title=blq::the pull request's comment") {
			t.Errorf("%s: comment.sh ended with %d: %s", shell, code, said)
		}
	}
}

// Unlike bash, other shells drop environment variables whose names are not valid in a shell.
func TestAStepWithoutBlqHasAllVariables(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("env | grep ^npm_config_\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	const odd = "npm_config_//registry/:_authToken=x"
	x := newInstall(t, nil, nil)
	x.run()
	onPath := strings.TrimSpace(read(t, x.dir+"/path"))
	for _, args := range [][]string{
		{"bash", "run.sh", "run"},
		{"env", "PATH=" + onPath + ":" + os.Getenv("PATH"), "blq", "shell", script},
	} {
		name, err := exec.LookPath(args[0])
		if err != nil {
			t.Fatal(err)
		}
		if args[1] == "run.sh" {
			args[1], _ = filepath.Abs(args[1])
		}
		if out, code := sh(t, []string{"BLQ_INPUT_RUN=env | grep ^npm_config_", odd}, name, args[1:]...); out != odd+"\n" ||
			code != 0 {
			t.Errorf("%v ended with %d: %q", args, code, out)
		}
	}
}
