package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// maxBefore is the max number of errors that a passed step keeps for a silent step after it.
const maxBefore = 4

// unsettled returns the newest errors and guesses near the end of a step that passed. Steps such as "grep -q ' 0
// failed' log" and "exit $code" fail without a word, because of what the step before them has printed.
func (st *step) unsettled() (list []*Draft) {
	if st.outcome != Passed {
		return nil
	}
	for _, drafts := range [...][]*Draft{st.drafts, st.guesses} {
		for _, d := range drafts {
			if d.Severity == store.SeverityError && !d.Merged && d.Weight <= Guess && d.Weight != Repeat &&
				d.LogLineEnd+nearEnd > st.lastN {
				said := *d
				said.Weight = Certain
				list = append(list, &said)
			}
		}
	}
	return list[max(0, len(list)-maxBefore):]
}

// isSilentCheck reports whether a failed step printed nothing, and only looked at what the step before has left.
func (st *step) isSilentCheck() bool {
	checks := false
	for _, d := range st.drafts {
		if d.Weight != Repeat || d.Category != store.CategoryCI {
			return false
		}
		checks = checks || checksOutput(d.Message)
	}
	return checks && st.outcome == Failed && st.said.n == 0 && len(st.guesses) == 0
}

// checksOutput reports whether a CI system's message names a command that looks at a file or at a variable. A command
// that runs another command, as in "test -z $(gofmt -l .)", fails for a reason of its own.
func checksOutput(message string) bool {
	_, command, _ := strings.Cut(message, `"`)
	word, _, _ := strings.Cut(strings.TrimLeft(command, "! "), " ")
	switch word {
	case "grep", "egrep", "fgrep", "exit", "test", "[", "[[":
		return !strings.Contains(command, "$(") && !strings.Contains(command, "`")
	}
	return false
}

// isEmpty reports whether the step has no lines of interest. The lines between two commands are such a step.
func (st *step) isEmpty() bool { return st.said.n == 0 && len(st.drafts) == 0 && len(st.guesses) == 0 }
