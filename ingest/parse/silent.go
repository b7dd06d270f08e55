package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// maxBefore is the max number of errors and guesses of a passed step that are kept for a silent step after this step.
const maxBefore = 4

// unsettled returns the newest errors and guesses near the end of a step that passed. They may explain the failure of
// the next step. For example, "grep -q ' 0 failed' log" and "exit $code" print nothing, and fail because of the output
// of the step before.
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

// isSilentCheck reports whether a failed step printed nothing and only checked the results of the previous step.
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

// checksOutput reports whether a CI system's message names a command that only examines a file or a variable. It
// returns false for a command that runs another command, such as "test -z $(gofmt -l .)", because that command is the
// cause of the failure.
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
