//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blq-ci/blq/internal/ci"
)

// showing puts programs with these names on the PATH of the job's steps. Each program prints its name, and its
// arguments in brackets. In place of the path of a script, the program prints FILE. After the arguments, it prints the
// extension and the text of the script.
func (r *actionsRunner) showing(names ...string) {
	r.Helper()
	const show = `#!/bin/sh
printf '%s' "${0##*/}"
for a; do
  case $a in
    *"$RUNNER_TEMP"/*)
      before=${a%%"$RUNNER_TEMP"/*} rest=${a#*"$RUNNER_TEMP/"}
      name=$(printf %s "$rest" | sed 's/^\([a-zA-Z0-9./-]*\).*/\1/')
      f=$RUNNER_TEMP/$name a=${before}FILE${rest#"$name"} ;;
  esac
  printf ' [%s]' "$a"
done
echo
case ${f##*/} in *.*) echo ".${f##*.}" ;; esac
cat "$f"
`
	for _, name := range names {
		r.file("shells/"+name, show)
	}
	r.env["PATH"] = r.path("shells") + ":" + os.Getenv("PATH")
}

const noShell = "Invalid shell option. Shell must be a valid built-in (bash, sh, cmd, powershell, pwsh) or a " +
	"format string containing '{0}'"

func TestActionRunsTheShellThatItIsTold(t *testing.T) {
	t.Parallel()
	const stop, pass = "$ErrorActionPreference = 'stop'\n",
		"\nif ((Test-Path -LiteralPath variable:\\LASTEXITCODE)) { exit $LASTEXITCODE }\n"
	for shell, want := range map[string]string{
		"bash -euxo pipefail {0}":        "bash [-euxo] [pipefail] [FILE]\n.sh\nX",
		"bash -l {0}":                    "bash [-l] [FILE]\n.sh\nX",
		"sh -x {0}":                      "sh [-x] [FILE]\n.sh\nX",
		"perl {0}":                       "perl [FILE]\nX",
		"python {0}":                     "python [FILE]\n.py\nX",
		"python":                         "python [FILE]\n.py\nX",
		"python -u -X dev {0}":           "python [-u] [-X] [dev] [FILE]\n.py\nX",
		"node {0}":                       "node [FILE]\nX",
		"pwsh":                           "pwsh [-command] [. 'FILE']\n.ps1\n" + stop + "X" + pass,
		"pwsh -NoProfile -File {0}":      "pwsh [-NoProfile] [-File] [FILE]\n.ps1\n" + stop + "X" + pass,
		"powershell -File {0}":           "powershell [-File] [FILE]\n.ps1\n" + stop + "X" + pass,
		"DIR/env ruby {0}":               "env [ruby] [FILE]\nX",
		"nix develop -c bash -e {0}":     "nix [develop] [-c] [bash] [-e] [FILE]\nX",
		`nix develop "a  b" -c bash {0}`: "nix [develop] [a  b] [-c] [bash] [FILE]\nX",
		"docker run -v {0}:/s img sh /s": "docker [run] [-v] [FILE:/s] [img] [sh] [/s]\nX",
		"env bash {0} --":                "env [bash] [FILE] [--]\nX",
		"env FIRST={0} {0}":              "env [FIRST=FILE] [FILE]\nX",
		"env -c 'a {0}'":                 "env [-c] ['a] [FILE']\nX", // the runner does not know single quotes
		`env "a \"b\" {0}"`:              "env [a \"b\" FILE]\nX",
		`env a\b "c\\" {0} ""`:           "env [a\\b] [c\\] [FILE] []\nX",
		`env "a""b" {0}`:                 "env [a\"b] [FILE]\nX",
		"env {{}} {0}":                   "env [{}] [FILE]\nX",
		"env  \t-x   {0} ":               "env [-x] [FILE]\nX",
	} {
		r := newRunner(t)
		r.showing("bash", "sh", "perl", "python", "node", "pwsh", "powershell", "nix", "docker", "env")
		r.env["RUNNER_TEMP"] = filepath.Dir(r.file("temp/with blank/x", ""))
		out, notes, state := r.step(
			map[string]string{"run": "X", "shell": strings.Replace(shell, "DIR", r.path("shells"), 1)})
		if got := strings.ReplaceAll(out, r.env["RUNNER_TEMP"]+"/", ""); got != want || state.ExitCode() != 0 {
			t.Errorf("%s: exit code %d\n%q, want\n%q\n%s", shell, state.ExitCode(), got, want, notes)
		}
	}
}

func TestActionRefusesAShellThatGitHubRefuses(t *testing.T) {
	t.Parallel()
	for shell, why := range map[string]string{
		"fish": noShell, "perl": noShell, "bash -e": noShell, "{0}": noShell, "perl -e {1}": noShell, "bash {{0}}": noShell,
		"bash {0} {1}": "not in a correct format", "bash {0} {": "not in a correct format",
	} {
		r := newRunner(t)
		out, notes, state := r.step(map[string]string{"run": "echo ran >ran", "shell": shell})
		if _, err := os.Stat(filepath.Join(r.env["GITHUB_WORKSPACE"], "ran")); err == nil || out != "" {
			t.Errorf("%s: another shell ran the script: %q", shell, out)
		}
		if state.ExitCode() != 1 || !strings.Contains(notes, "::error title=blq::") || !strings.Contains(notes, why) ||
			r.outputs()["status"] != "FAIL" {
			t.Errorf("%s: exit code %d, outputs %v: %s", shell, state.ExitCode(), r.outputs(), notes)
		}
	}
}

// The runner replaces {0} by the script's file, and blq finds the file there.
func TestShellTakesAnyCommand(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.showing("pwsh")
	script := r.file("temp/11111111-2222-3333-4444-555555555555", "X")
	perl := r.file("temp/with blank/script", `print "perl @ARGV\n"; exit 7`)
	for _, tt := range []struct {
		args []string
		code int
		out  string
	}{
		{[]string{"--", "bash", "-euxo", "pipefail", r.file("temp/s1", "set +x\nfalse | true\necho on")}, 1, "+ set +x\n"},
		{[]string{"bash", "-euo", "pipefail", r.file("temp/s2", "false | true\necho on")}, 1, ""},
		{[]string{"perl", perl}, 7, "perl \n"},
		{[]string{"--", "perl", perl, "a b"}, 7, "perl a b\n"},
		{[]string{"--", "sh", "-c", "cat " + script + "; echo"}, 0, "X\n"},
		{[]string{r.file("temp/empty", "")}, 0, ""},
		{[]string{r.file("temp/no newline", "echo a; exit 3")}, 3, "a\n"},
		{[]string{r.file("temp/big", strings.Repeat(": "+strings.Repeat("x", 100)+"\n", 20_000)+"echo end; exit 4")},
			4, "end\n"},
		{[]string{r.file("temp/crlf", "echo a\r\n")}, 0, "a\r\n"},
		{[]string{"bash"}, 2, ""},
		{nil, 2, ""},
	} {
		out, notes, state := finished(r.with(blq("", append([]string{"shell"}, tt.args...)...)))
		if out != tt.out || state.ExitCode() != tt.code {
			t.Errorf("%.80q: exit code %d, output %.200q: %.300s", tt.args, state.ExitCode(), out, notes)
		}
	}
	out, notes, _ := finished(r.with(blq("", "shell", "--", "pwsh", "-File", script)))
	if !strings.HasPrefix(out, "pwsh [-File] [FILE]\n.ps1\n$Error") || !strings.Contains(out, "\nX\n") {
		t.Errorf("%q: %s", out, notes)
	}
}

func TestScriptsAreRunAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	for _, script := range []string{"", "\n\n  false\necho x\n\n", "echo a\r\n", "\ufeffecho x", "cat <<E\n\tx \nE",
		"exit 3\n#", "  "} {
		r := newRunner(t)
		r.showing("perl")
		out, notes, state := r.step(map[string]string{"run": script, "shell": "perl {0}", "name": "x"})
		if want := "perl [FILE]\n" + script; out != want || state.ExitCode() != 0 {
			t.Errorf("got %q, want %q: %s", out, want, notes)
		}
	}
}

// A step's environment has no variable that blq's actions set, and every variable that the user set.
func TestStepsHaveTheEnvironmentOfTheJob(t *testing.T) {
	t.Parallel()
	const ours = "BLQ_BIN BLQ_MATRIX BLQ_CHECK_RUN_ID BLQ_CONTAINER_ACTION BLQ_MASK_KEY"
	container := map[string]string{"BLQ_CONTAINER_ACTION": "true", "INPUT_RUN": "env", "INPUT_TOKEN": "t0ken",
		"INPUT_WORKING-DIRECTORY": ".", "INPUT_SHELL": "", "INPUT_MATRIX": "null"}
	for name, tt := range map[string]struct {
		env    map[string]string
		inputs map[string]string
		args   []string
		stays  map[string]string
	}{
		"composite": {inputs: map[string]string{"run": "env", "token": "t0ken", "name": "x"},
			stays: map[string]string{"INPUT_NAME": "mine", "INPUT_COLOR": "red", "BLQ_TOKEN": "of the job", "BLQ_NAME": "y"}},
		"composite in act": {inputs: map[string]string{"run": "env", "token": "t0ken"},
			env: map[string]string{"INPUT_TOKEN": "t0ken", "INPUT_RUN": "env"}},
		"container": {env: container, stays: map[string]string{"INPUT_COLOR": "red", "BLQ_SERVER": ""}},
		"shell": {
			args: []string{"shell"}, stays: map[string]string{"INPUT_NAME": "mine", "BLQ_NAME": "y", "BLQ_INPUT_MINE": "z"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRunner(t)
			for k, v := range tt.env {
				r.env[k] = v
			}
			for k, v := range tt.stays {
				r.env[k] = v
			}
			if tt.args == nil {
				tt.args = []string{"action", "run"}
				r.env["BLQ_BIN"], r.env["BLQ_MATRIX"], r.env["BLQ_CHECK_RUN_ID"] = "/x/blq", `{"os":"linux"}`, "5"
			} else {
				delete(r.env, "BLQ_MATRIX")
				delete(r.env, "BLQ_CHECK_RUN_ID")
				tt.args = append(tt.args, r.file("temp/script", "env"))
			}
			cmd := r.with(blq("", tt.args...))
			for k, v := range tt.inputs {
				cmd.Env = append(cmd.Env, "BLQ_INPUT_"+strings.ToUpper(k)+"="+v)
			}
			out, notes, state := finished(cmd)
			if state.ExitCode() != 0 {
				t.Fatal(notes)
			}
			got := map[string]string{}
			for line := range strings.Lines(out) {
				k, v, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
				got[k] = v
			}
			for k, v := range got {
				mine, isMine := tt.stays[k]
				switch {
				case isMine && mine != v:
					t.Errorf("%s is %q, the user set %q", k, v, mine)
				case !isMine && (strings.HasPrefix(k, "BLQ_INPUT_") || strings.HasPrefix(k, "INPUT_") ||
					strings.Contains(" "+ours+" ", " "+k+" ")):
					t.Errorf("the step sees %s=%s", k, v)
				}
			}
			for k := range tt.stays {
				if _, ok := got[k]; !ok {
					t.Errorf("the step does not see %s", k)
				}
			}
		})
	}
}

// A run in a step belongs to the matrix leg of its job, although the step does not get the variables of blq's actions.
func TestSetupNotesTheLegForRunsInSteps(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	cmd := r.with(blq("", "action", "setup"))
	cmd.Env = append(cmd.Env, `BLQ_MATRIX={"os":"linux"}`, "BLQ_CHECK_RUN_ID=5")
	if _, notes, state := finished(cmd); !state.Success() {
		t.Fatal(notes)
	}
	if env := r.read("files/env"); strings.Contains(env, "BLQ_MATRIX") {
		t.Errorf("the job's variables are %s", env)
	}
	getenv := func(name string) string {
		return map[string]string{"GITHUB_ACTIONS": "true", "RUNNER_TEMP": r.env["RUNNER_TEMP"]}[name]
	}
	if got := ci.CI(getenv, os.ReadFile); got.Matrix != `{"os":"linux"}` || got.CheckRunID != "5" {
		t.Errorf("%+v", got)
	}
}

func (r *actionsRunner) read(name string) string {
	r.Helper()
	text, err := os.ReadFile(r.path(name))
	check(r.T, err)
	return string(text)
}
