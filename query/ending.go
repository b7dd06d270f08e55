package query

import "github.com/blq-ci/blq/store"

// exitNotes explains exit codes that come from a shell or a wrapper, not from the command itself.
var exitNotes = map[int]string{
	124: "the code of timeout(1): the command took too long",
	126: "the command was found, but may not be executed",
	127: "the command was not found",
	134: "SIGABRT: the command gave up, often at a failed assertion",
	137: "SIGKILL: often the machine or the container ran out of memory",
	139: "SIGSEGV: the command accessed memory that is not its own",
	143: "SIGTERM: it was asked to stop",
}

// signalCodes are the exit codes with which a shell reports signals.
var signalCodes = map[string]int{"SIGABRT": 134, "SIGKILL": 137, "SIGSEGV": 139, "SIGTERM": 143}

// ExitNote returns an explanation of the exit code or the signal of a run, or "" if there is nothing to explain. A
// timeout of blq and a cancelled job are statuses, and need no explanation.
func ExitNote(r store.Run) string {
	switch {
	case r.Reason != "" || r.State != store.StateCompleted:
		return ""
	case r.Signal != "":
		return exitNotes[signalCodes[r.Signal]]
	case r.ExitCode != nil:
		return exitNotes[*r.ExitCode]
	}
	return ""
}
