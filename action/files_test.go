//go:build unix

package action_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/blq-ci/blq/action"
)

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var input = regexp.MustCompile(`(?m)^  ([a-z-]+):$`)

// A composite action gets its inputs only through the variables that it sets.
func TestActionMapsEachInput(t *testing.T) {
	for _, file := range []string{"../action.yml", "setup/action.yml"} {
		text := read(t, file)
		declared, _, _ := strings.Cut(text, "\nruns:")
		declared, _, _ = strings.Cut(declared, "\noutputs:")
		for _, m := range input.FindAllStringSubmatch(declared, -1) {
			name := m[1]
			variable := "BLQ_INPUT_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
			switch name {
			case "mcp":
				variable = "INSTALL_MCP" // variable of install.sh
			case "matrix", "check-run-id", "step-id":
				variable = "BLQ_" + strings.TrimPrefix(variable, "BLQ_INPUT_")
			}
			if !strings.Contains(text, variable+": ${{ inputs."+name+" }}\n") {
				t.Errorf("%s does not map %s", file, name)
			}
			if strings.HasPrefix(variable, "BLQ_INPUT_") && !slices.Contains(action.InputVariables(), variable) {
				t.Errorf("%s declares %s, which nothing reads", file, name)
			}
		}
	}
}

var used = regexp.MustCompile(`uses: blq-ci/blq/(\S+)@v1`)

// The actions that every job uses must not use an action with an image. The runner pulls the images of all actions in a
// job before the job begins. If this fails, the job fails.
func TestNothingIsPulledForEveryJob(t *testing.T) {
	found := 0
	for _, file := range []string{"../action.yml", "setup/action.yml"} {
		for _, m := range used.FindAllStringSubmatch(read(t, file), -1) {
			found++
			if strings.Contains(read(t, filepath.Join("..", m[1], "action.yml")), "using: docker") {
				t.Errorf("%s uses %s, which is an image", file, m[1])
			}
		}
	}
	if found == 0 {
		t.Error("no action is used")
	}
}

// sh runs a script of the Action, or another program, with the variables of a step. It returns the output and the exit
// code.
func sh(t *testing.T, env []string, name string, args ...string) (string, int) {
	t.Helper()
	path, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(),
		append([]string{"RUNNER_TEMP=" + t.TempDir(), "RUNNER_OS=Linux", "RUNNER_ARCH=X64", "BLQ_BIN="}, env...)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run() // the caller looks at the exit code
	return out.String(), cmd.ProcessState.ExitCode()
}

func TestStepsRunWhereBlqIsNot(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("false | true\necho \"$-\"\nexit 4\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		env  string
		args []string
		out  string
		code int
	}{
		{"BLQ_INPUT_RUN=false | true; echo 'it runs  so'; exit 3", []string{"run.sh", "run"}, "it runs  so\n", 3},
		{"BLQ_INPUT_RUN=exit 5", []string{"run.sh", "run"}, "", 5},
		{"BLQ_INPUT_RUN=env | grep ^BLQ_INPUT || true; echo \"$0\" | grep -o '[.]sh$'", []string{"run.sh", "run"},
			".sh\n", 0},
		{"X=", []string{"run.sh", "setup"}, "", 0},
		{"X=", []string{"bare/blq", "shell", script}, "ehB\n", 4},
		{"X=", []string{"bare/blq", "shell", "--name", "x", "bash", script}, "", 1},
		{"X=", []string{"bare/blq", "shell", "cat", script}, read(t, script), 0},
		{"X=", []string{"bare/blq", "shell", "--name=x", "--", "bash", "-u", script}, "huB\n", 4},
	} {
		if out, code := sh(t, []string{tt.env}, tt.args[0], tt.args[1:]...); out != tt.out || code != tt.code {
			t.Errorf("%v: exit code %d, %q, want %d, %q", tt.args, code, out, tt.code, tt.out)
		}
	}
}

// If the script of a step cannot be written completely, the step fails. An empty script would succeed.
func TestAScriptThatIsNotWrittenFails(t *testing.T) {
	program, err := filepath.Abs("bare/blq")
	if err != nil {
		t.Fatal(err)
	}
	out, code := sh(t, []string{"BLQ_INPUT_RUN=exit 3"}, "/bin/sh", "-c",
		"trap '' XFSZ; ulimit -f 0; exec "+program+" action run")
	if code != 1 || !strings.Contains(out, "::error title=blq::the script could not be written") {
		t.Errorf("exit code %d: %s", code, out)
	}
}

// If the limit of the address space or of open files is too low for a Go program, run.sh runs the step without blq, and
// warns.
func TestStepsRunWithTightLimits(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "blq")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho recorded\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for limit, recorded := range map[string]bool{"-v 800000": false, "-n 20": false, "-v 4000000": true, "-n 64": true} {
		wrapper := filepath.Join(dir, "limited.sh")
		script, err := filepath.Abs("run.sh")
		if err != nil {
			t.Fatal(err)
		}
		text := "#!/bin/sh\nulimit " + limit + "\nexec " + script + " \"$@\"\n"
		if err := os.WriteFile(wrapper, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		out, code := sh(t, []string{"BLQ_BIN=" + program, "BLQ_INPUT_RUN=echo bare; exit 3"}, wrapper, "run")
		if recorded != (out == "recorded\n" && code == 0) || !recorded &&
			(code != 3 || !strings.HasSuffix(out, "bare\n") || strings.Count(out, "::warning") != 1) {
			t.Errorf("ulimit %s: exit code %d, %q", limit, code, out)
		}
	}
}

func TestStandInRunsTheShellThatItIsTold(t *testing.T) {
	for shell, want := range map[string]string{
		"bash -euo pipefail {0}": "ehuB\n", "bash -c \"cat '{0}' | wc -l\"": "2\n", "grep -c x {0}": "1\n",
		"bash {0} {0}": "hB\nnot here\n",
		"fish":         "::error ", "perl": "::error ", "bash -e": "::error ", "cmd": "::error ",
	} {
		env := []string{"BLQ_INPUT_RUN=echo $-; false\necho not here # x\n", "BLQ_INPUT_SHELL=" + shell}
		out, code := sh(t, env, "run.sh", "run")
		if refused := strings.HasPrefix(want, "::"); !refused && out != want || refused &&
			(code != 1 || !strings.HasPrefix(out, want)) {
			t.Errorf("%s: exit code %d, %q, want %q", shell, code, out, want)
		}
	}
}
