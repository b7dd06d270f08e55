package capture_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// If a script ignores a signal, a command of the script ignores the signal, too. This also holds if blq runs the
// command.
func TestSignalsThatAScriptIgnoresStayIgnored(t *testing.T) {
	t.Parallel()
	const show = `grep SigIgn /proc/self/status`
	for _, trap := range []string{"QUIT", "TERM", "PIPE", "USR1 USR2", "ALRM XFSZ", "HUP QUIT TERM", ""} {
		script := `trap "" ` + trap + "\n" + `"$@"` + "\n:\n"
		if trap == "" {
			script = `"$@" & wait $!` + "\n:\n"
		}
		run := func(env []string, words ...string) string {
			cmd := exec.Command("sh", append([]string{"-c", script, "sh"}, words...)...)
			cmd.Env = env
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // without a terminal, as in a job
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%s: %v", trap, err)
			}
			return string(out)
		}
		want := run(os.Environ(), "sh", "-c", show)
		got := run(environ("wrap"), os.Args[0], "sh", "-c", show)
		if got != want || !strings.HasPrefix(got, "SigIgn:") {
			t.Errorf("with %s ignored: %q, without us %q", trap, got, want)
		}
	}
}

// bash ignores SIGQUIT for itself, but its commands do not.
func TestWhatBashIgnoresForItselfIsNotHandedOn(t *testing.T) {
	t.Parallel()
	for _, script := range []string{`"$@"` + "\n:\n", "trap '' USR1\n" + `"$@"` + "\n:\n", `"$@" & wait $!` + "\n:\n"} {
		run := func(env []string, words ...string) string {
			cmd := exec.Command("bash", append([]string{"-c", script, "bash"}, words...)...)
			cmd.Env = env
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%q: %v", script, err)
			}
			return string(out)
		}
		want := run(os.Environ(), "grep", "SigIgn", "/proc/self/status")
		got := run(environ("wrap"), os.Args[0], "grep", "SigIgn", "/proc/self/status")
		if got != want || !strings.HasPrefix(got, "SigIgn:") {
			t.Errorf("%q: %q, without us %q", script, got, want)
		}
	}
}

// If a shell replaces itself by blq with exec, blq has no parent that shows the ignored signals. A program that is
// built like a release knows the ignored signals without such a parent.
func TestSignalsThatWereIgnoredBeforeAnExecStayIgnored(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "wrap")
	build := exec.Command("go", "build", "-buildvcs=false", "-trimpath", "-tags", "dispositions",
		"-ldflags", "-s -w -checklinkname=0", "-o", program, "./testdata/wrap")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, trap := range []string{"PIPE", "TERM INT", "HUP QUIT USR1 USR2 ALRM", "TSTP TTIN TTOU", "XCPU XFSZ IO PWR"} {
		run := func(words ...string) string {
			script := `trap "" ` + trap + "\n" + `exec "$@"`
			cmd := exec.Command("bash", append([]string{"-c", script, "bash"}, words...)...)
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%s: %v", trap, err)
			}
			return string(out)
		}
		want := run("grep", "SigIgn", "/proc/self/status")
		got := run(program, "grep", "SigIgn", "/proc/self/status")
		if got != want || !strings.HasPrefix(got, "SigIgn:") {
			t.Errorf("with %s ignored: %q, without us %q", trap, got, want)
		}
	}
}
