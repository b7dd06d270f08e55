package parse

import "github.com/blq-ci/blq/store"

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

// isSilent reports whether a failed step printed nothing.
func (st *step) isSilent() bool {
	for _, d := range st.drafts {
		if d.Weight != Repeat || d.Category != store.CategoryCI {
			return false
		}
	}
	return st.outcome == Failed && st.said.n == 0 && len(st.guesses) == 0
}

// isEmpty reports whether the step has no lines of interest. The lines between two commands are such a step.
func (st *step) isEmpty() bool { return st.said.n == 0 && len(st.drafts) == 0 && len(st.guesses) == 0 }
