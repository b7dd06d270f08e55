package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// settle decides what counts, now that the step's outcome is known.
//
//   - The CI system's word on a step stands above what the step printed: the
//     errors of a step that it calls passed are warnings (a retried download,
//     a test of an error path, `make check || true`). The exit code of a whole
//     command does not do so: `make | tee log` passes, and its errors are true.
//   - What a test that passed printed is a warning.
//   - What reads like a failure (Likely) counts unless the step passed, or a
//     certain error comes after it: causes are printed before the tools that
//     give up because of them, but what comes after the last certain error is
//     not explained by it.
//   - What is said in plain words (Guess) counts only where nothing else
//     does, and then near the end: a step that fails stops soon after the
//     line that says why, and the same words far above were survived.
//   - A failed test of an unknown runner (Status) counts where the step failed
//     without a certain error.
//   - Warnings explain a step that failed without an error.
//   - A tool's repeat is an error only where nothing else explains the step.
//   - A failed step without any of these has its last words as the error, and
//     where it said nothing, the CI system's remark.
func (st *step) settle() {
	if st.outcome == Passed {
		st.pass()
		return
	}
	st.settleSamples()
	lastSure := st.lastSure()
	errors := st.settleLikely(lastSure)
	errors = st.settleStatuses(st.sure || lastSure > 0) || errors
	if !errors {
		errors = st.settleGuesses(0)
	} else if last := st.unsureSince(); last > 0 {
		st.settleGuesses(last + veryNearEnd)
	}
	repeat := st.demoteRepeats()
	switch {
	case errors, st.settleWarnings():
	case st.outcome == Failed && !st.noLastWords && (repeat == nil || repeat.Category == store.CategoryCI) &&
		st.lastWords():
	case repeat != nil:
		repeat.Severity = store.SeverityError
	}
}

// settleWarnings makes errors of warnings that stand at the end of a step that the CI system calls failed. Many linters
// fail because of warnings: if a linter printed one shortly before the end, all that it printed count. It reports
// whether warnings explain the end.
func (st *step) settleWarnings() bool {
	if st.outcome != Failed || !st.marked {
		return st.lintedNearEnd()
	}
	linter, found := "", false
	for _, d := range st.drafts {
		if d.warns() && d.Category == store.CategoryLint && d.LogLineEnd+veryNearEnd > st.lastN {
			linter = d.Tool
		}
	}
	for _, d := range st.drafts {
		if d.warns() && (d.LogLineEnd+atEnd > st.lastN || d.Tool == linter) {
			d.Severity, found = store.SeverityError, true
		}
	}
	return found
}

// warns reports whether the draft is a warning about source files.
func (d *Draft) warns() bool {
	switch d.Category {
	case store.CategoryLint, store.CategoryCompile, store.CategoryType:
		return !d.Merged && d.Severity == store.SeverityWarning
	}
	return false
}

// lintedNearEnd reports whether a linter printed warnings shortly before the step
// ended. Many linters fail because of warnings.
func (st *step) lintedNearEnd() bool {
	for _, d := range st.drafts {
		if !d.Merged && d.Category == store.CategoryLint && d.LogLineEnd+nearEnd > st.lastN {
			return true
		}
	}
	return false
}

// pass settles a step that passed.
func (st *step) pass() {
	for _, d := range st.drafts {
		switch {
		case d.Severity != store.SeverityError:
		case d.Weight == Likely, d.Weight == Status:
			d.Merged = true
		case d.Weight == Repeat:
			d.Severity = store.SeverityInfo
		case st.marked || d.Weight == Died || d.isSample():
			d.Severity = store.SeverityWarning
		}
	}
}

// lastSure returns the line of the last certain error, 0 for none.
func (st *step) lastSure() int {
	last := 0
	for _, d := range st.drafts {
		if d.counts() && d.isSure() {
			last = max(last, d.LogLine)
		}
	}
	return last
}

// isSure reports whether a tool says the error in its own syntax.
func (d *Draft) isSure() bool { return d.Weight == Certain || d.Weight == Died }

// settleLikely drops likely errors that a later certain one explains, and
// reports whether any error is left.
func (st *step) settleLikely(lastSure int) bool {
	errors := st.sure || lastSure > 0
	for _, d := range st.drafts {
		if !d.counts() || d.Weight != Likely {
			continue
		}
		if errors && d.LogLine < lastSure {
			d.Merged = true
		} else {
			errors = true
		}
	}
	return errors
}

// settleStatuses keeps the failed tests of unknown runners where the step failed and nothing certain explains that. It
// reports whether any is left.
func (st *step) settleStatuses(sure bool) bool {
	count := st.outcome == Failed && !sure
	told, taken := map[string]bool{}, map[int]bool{}
	for _, d := range st.drafts {
		if count && d.Weight == Likely && d.counts() {
			for n := d.LogLine; n <= min(d.LogLineEnd, d.LogLine+nearEnd); n++ {
				taken[n] = true
			}
		}
	}
	for _, d := range st.drafts {
		if d.Weight != Status {
			continue
		}
		if d.Merged = !count || told[d.Key] || taken[d.LogLine]; !d.Merged {
			told[d.Key] = true
		}
	}
	return len(told) > 0
}

// unsureSince returns the last line of the last error where all of them are likely ones or failed tests of unknown
// runners, and 0 otherwise. A step that failed long after them may have survived them.
func (st *step) unsureSince() int {
	last := 0
	for _, d := range st.drafts {
		if !d.counts() || d.Weight == Repeat {
			continue
		}
		if d.Weight != Likely && d.Weight != Status || st.outcome != Failed {
			return 0
		}
		last = max(last, d.LogLineEnd)
	}
	return last
}

// counts reports whether the draft is an error that was not folded away.
func (d *Draft) counts() bool { return !d.Merged && d.Severity == store.SeverityError }

// What guesses count: these many, and within these many lines of the end.
const (
	lastGuesses = 4
	nearEnd     = 100
	veryNearEnd = 20 // when nobody says that the step failed
	atEnd       = 3  // for the warnings of a compiler
)

// settleGuesses takes up the guesses after a line that stand near the end of the step.
func (st *step) settleGuesses(after int) bool {
	near := nearEnd
	if st.outcome == Unknown || after > 0 {
		near = veryNearEnd
	}
	found := false
	for _, d := range st.guesses[max(0, len(st.guesses)-lastGuesses):] {
		if d.LogLine <= after || max(d.LogLineEnd, d.lastSeen)+near <= st.lastN || after > 0 && d.sumsUp() ||
			d.Weight == Shown && st.outcome != Failed {
			continue
		}
		found = true
		if d.Weight != Status {
			st.drafts = append(st.drafts, d)
		}
		d.Merged = false
	}
	return found
}

// sumsUp reports whether the guess only repeats failed tests: it names one again, or counts them.
func (d *Draft) sumsUp() bool {
	return d.Weight == Status || strings.Contains(d.Message, "test") || strings.Contains(d.Message, "Test") ||
		strings.HasSuffix(strings.TrimRight(d.Message, ".!"), " failed")
}

// demoteRepeats makes repeats info and returns the one that stands for all, of
// a tool rather than of the CI system: tools that give up because of each
// other say so one after the other, and the first of the last such chain is
// the nearest to the cause; a mere mark ("BUILD FAILED") tells less than what
// stands beside it.
func (st *step) demoteRepeats() (first *Draft) {
	end := 0
	for _, d := range st.drafts {
		if d.Weight != Repeat || !d.counts() {
			continue
		}
		d.Severity = store.SeverityInfo
		switch {
		case first == nil, first.Category == store.CategoryCI,
			d.Category != store.CategoryCI && (d.LogLine > end+chainGap || d.Rank > first.Rank):
			first = d
		}
		end = d.LogLineEnd
	}
	return first
}

// chainGap is how many lines may lie between two repeats of one failure.
const chainGap = 10

// forgiveMissing makes notes of errors about files that are missing, in a step after one that failed: what failed did
// not make them.
func (st *step) forgiveMissing() {
	for _, d := range st.drafts {
		switch d.Category {
		case store.CategoryCI, store.CategoryRuntime, store.CategoryBuild:
			if d.counts() && isMissingFile(d.Message) {
				d.Severity = store.SeverityInfo
			}
		}
	}
}

// isMissingFile reports whether a message says that there is no such file.
func isMissingFile(message string) bool {
	for _, w := range [...]string{"No such file", "no such file", "cannot stat", "cannot access", "does not exist",
		"ENOENT", "No files were found", "no files found", "No files found", "ould not find file", "ouldn't open file",
		"No coverage", "o such path"} {
		if strings.Contains(message, w) {
			return true
		}
	}
	return false
}
