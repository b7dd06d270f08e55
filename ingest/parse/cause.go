package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// maxCauseGap is the max number of lines between a cause and the certain error that follows from it.
const maxCauseGap = 20

// maxAbortGap is the max number of lines between an error of a program and the line that says that the program
// aborted.
const maxAbortGap = 3

// settleCauses finds the causes of the first certain error of a failed step. It makes these earlier errors certain,
// too. An error has a cause if it says only that a command failed or that a program aborted, or if it names a command,
// a file or a repository that was missing shortly before:
//
//	sh: 1: flex: not found
//	CMake Error at CMakeLists.txt:12 (message):
//	  flex failed with 127
func (st *step) settleCauses() {
	first := st.firstSure()
	if st.outcome != Failed || st.sure || first == nil {
		return
	}
	for _, d := range st.drafts {
		if d.Weight == Likely && d.counts() && first.followsFrom(d) {
			d.Weight = Certain
		}
	}
	for _, d := range st.guesses {
		if d.Weight == Guess && first.followsFrom(d) {
			d.Weight, d.Merged = Certain, false
			st.drafts = append(st.drafts, d)
		}
	}
}

// firstSure returns the first certain error, or nil if there is none.
func (st *step) firstSure() (first *Draft) {
	for _, d := range st.drafts {
		if d.counts() && d.isSure() && (first == nil || d.LogLine < first.LogLine) {
			first = d
		}
	}
	return first
}

// followsFrom reports whether the error only reports what follows from a cause.
func (d *Draft) followsFrom(cause *Draft) bool {
	if cause.LogLine >= d.LogLine || cause.LogLineEnd+maxCauseGap < d.LogLine {
		return false
	}
	if d.Weight == Died && strings.HasPrefix(d.Message, "Abort") && cause.LogLineEnd+maxAbortGap >= d.LogLine {
		return true
	}
	missing := cause.misses()
	switch d.Category {
	case store.CategoryTest, store.CategoryLint:
		return false
	case store.CategoryBuild, store.CategoryRuntime, store.CategoryCI:
		if saysOnlyThatItFailed(d.Message) && (missing || cause.Weight == Likely) {
			return true
		}
	}
	return missing && hasName(d.Message, missingName(cause.Message))
}

// misses reports whether the error says that a command or a file is missing. Every error of git counts as a missing
// repository.
func (d *Draft) misses() bool {
	switch d.Code {
	case "command-not-found", "no-such-file", "cannot-execute":
		return true
	}
	return d.Tool == "git" || isMissingFile(d.Message)
}

// missingName returns the last part of the name of the missing thing, which is in quotes or before the last colon:
// "flex: not found", "cannot stat 'a/config.in': No such file or directory", "repository 'https://a.com/b.git' not
// found".
func missingName(message string) string {
	if open := strings.IndexAny(message, "'\"`‘"); open >= 0 {
		name := strings.TrimLeft(message[open:], "'\"`‘")
		if end := strings.IndexAny(name, "'\"’"); end >= 0 {
			message = name[:end]
		}
	} else if i := strings.LastIndex(message, ": "); i >= 0 {
		message = message[:i]
		message = message[strings.LastIndexByte(message, ' ')+1:]
	}
	message = strings.TrimSuffix(strings.TrimRight(message, "/"), ".git")
	return message[strings.LastIndexByte(message, '/')+1:]
}

// hasName reports whether a message has a name as a whole word.
func hasName(message, name string) bool {
	if len(name) < 3 {
		return false
	}
	for {
		before, after, ok := strings.Cut(message, name)
		if !ok {
			return false
		}
		if (before == "" || !isNameByte(before[len(before)-1])) && (after == "" || !isNameByte(after[0])) {
			return true
		}
		message = after
	}
}

func isNameByte(c byte) bool { return IsLower(c|0x20) || IsDigit(c) || c == '_' || c == '-' }

// saysOnlyThatItFailed reports whether a message only says that a command failed, or how it ended.
func saysOnlyThatItFailed(message string) bool {
	lower := strings.ToLower(message)
	return onlyFailed.In(lower) || strings.HasSuffix(strings.TrimRight(lower, ".!"), " failed")
}

var onlyFailed = NewWordSet("exit code", "exit status", "exit value", "exited with", "non-zero", "nonzero",
	"return code", "error code", "returned error", "failed with ", "command failed", "failure while executing")
