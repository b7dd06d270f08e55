package capture_test

import (
	"os"
	"testing"
)

// aroundTheCommand are scripts that run a command, "$@", and the keys that are typed while it runs.
//
// A case with pty is tested only with a command that has a terminal of its own. For a command without its own terminal,
// only the end of the command tells which keys were typed.
var aroundTheCommand = map[string]struct {
	script, command, keys string
	pty                   bool
}{
	"ctrl-c ends the script": {`"$@"; echo after`, `echo ready; exec sleep 60`, "\x03", false},
	"ctrl-c ends the loop":   {`for i in 1 2 3; do "$@"; done`, `echo ready; exec sleep 60`, "\x03", false},
	"ctrl-c ends a pipe": {
		`"$@" | { trap 'echo int; exit' INT; cat; sleep 0.1; }; echo after`, `echo ready; exec sleep 60`, "\x03", false},
	"ctrl-c is handled by both": {`trap 'echo script' INT; "$@"; echo after`,
		`trap 'echo command; exit 9' INT; echo ready; while :; do sleep 0.05; done`, "\x03", true},
	"ctrl-\\ is handled by both": {`trap 'echo script' QUIT; "$@"; echo after`,
		`trap 'echo command; exit 9' QUIT; echo ready; read x`, "\x1c", true},
	"quoted ctrl-c": {`"$@"; echo after`, `echo ready; head -n 1 | od -c`, "\x16\x03\n", false},
	"not for the script of a shell with jobs": {`"$@"; echo after`, `set -m; sh -c 'echo ready; exec sleep 60'; echo on`,
		"\x03", true},
}

// A script runs a command, and the terminal sends the signals of typed keys to both. If the script runs the command
// with blq, the result is the same.
func TestKeysReachTheScriptAroundTheCommand(t *testing.T) {
	t.Parallel()
	for name, tt := range aroundTheCommand {
		for _, pty := range []string{"1", ""} {
			if pty == "" && tt.pty {
				continue
			}
			t.Run(name+pty, func(t *testing.T) {
				t.Parallel()
				script := []string{"dash", "-c", tt.script, "dash"}
				command := []string{"bash", "-c", tt.command}
				wrap := []string{"env", "BLQ_CHILD=wrap", "WRAP_PTY=" + pty, os.Args[0]}
				want := play(t, false, append(script, command...), typed{"ready", tt.keys})
				got := play(t, false, append(append(script, wrap...), command...), typed{"ready", tt.keys})
				if got != want {
					t.Errorf("%q, %s\nwithout blq %q, %s", got.output, got.state, want.output, want.state)
				}
			})
		}
	}
}
