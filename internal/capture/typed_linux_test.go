package capture_test

import (
	"os"
	"testing"
)

// Keys that were typed before the command begins reach it, with the ends of input between them.
func TestWhatIsTypedAheadReachesTheCommand(t *testing.T) {
	t.Parallel()
	for keys, command := range map[string]string{
		"one\n\x04":           "timeout --foreground 5 cat",
		"one\x04":             "timeout --foreground 5 dd bs=100 count=1 2>/dev/null",
		"one\ntwo\x04\x04six": "timeout --foreground 5 cat",
		"\x04":                "timeout --foreground 5 cat",
		"one\ntw":             "timeout --foreground 5 dd bs=100 count=1 2>/dev/null",
	} {
		t.Run(keys, func(t *testing.T) {
			t.Parallel()
			// The shell first reads a line, so that the other keys have been typed when the command starts.
			script := []string{"bash", "-c", `stty -echo; echo ready; read first; "$@"`, "sh"}
			wrap := []string{"env", "BLQ_CHILD=wrap", "WRAP_PTY=1", os.Args[0]}
			run := []string{"sh", "-c", command + "; echo end $?"}
			in := typed{"ready", "first\n" + keys}
			want := play(t, false, append(script, run...), in)
			got := play(t, false, append(append(script, wrap...), run...), in)
			if got != want {
				t.Errorf("%q, %s\nwithout blq %q, %s", got.output, got.state, want.output, want.state)
			}
		})
	}
}
