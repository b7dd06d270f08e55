package parse

import (
	"math"
	"strings"

	"github.com/blq-ci/blq/store"
)

// settle decides which drafts of a step count. It is called when the outcome of the step is known.
//
//   - If the CI system says that the step passed, its errors become warnings. Such errors come from a retried download,
//     from a test of an error path, or from `make check || true`. If only the exit code of a whole command is 0, errors
//     remain errors: `make | tee log` passes, but its errors are real.
//   - Errors that a passed test printed become warnings.
//   - A line that reads like a failure (Likely) does not count if the step passed. It does not count either if a
//     certain error comes after it, because tools print causes before they give up.
//   - A missing command or file that a certain error follows from is as certain as that error.
//   - A failed test of an unknown runner (Status) counts if the step failed without a certain error.
//   - Plain words of failure (Guess) count only near the end of the step, because a failed step stops soon after the
//     line with the cause. They count only if the step has no other errors, or only uncertain errors far above.
//   - Warnings near the end explain a step that failed without an error.
//   - If a failed step has none of these, lines of a place and a message near its end become errors.
//   - If a step has none of these either, a tool's Repeat becomes the error. If a tool such as make or npm printed the
//     Repeat, the words just above it become an error, too.
//   - Without a tool's Repeat, the last words of a failed step become the error. If it printed no words, the remark of
//     the CI system becomes the error.
func (st *step) settle() {
	if st.outcome == Passed {
		st.pass()
		return
	}
	st.settleSamples()
	st.settleCauses()
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
	case errors, st.settleWarnings(), st.outcome == Failed && st.unknown && st.placedWords(repeat):
	case st.outcome == Failed && !st.noLastWords && (repeat == nil || repeat.Category == store.CategoryCI) &&
		st.lastWords(math.MaxInt):
	case repeat != nil:
		repeat.Severity = store.SeverityError
		if st.outcome == Failed && !st.noLastWords && repeat.runsCommands() {
			st.lastWords(repeat.LogLine)
		}
	}
}

// settleWarnings turns warnings into errors if the log says that the step failed, and the warnings are
// at the step's end. Many linters fail because of warnings. If a linter printed a warning shortly
// before the end, all its warnings count. settleWarnings reports whether warnings explain the failure.
func (st *step) settleWarnings() bool {
	if st.outcome != Failed || !st.marked && st.noLastWords {
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

// lintedNearEnd reports whether a linter printed warnings or notes shortly before the step ended. Many linters fail
// because of warnings.
func (st *step) lintedNearEnd() bool {
	for _, d := range st.drafts {
		if !d.Merged && d.Category == store.CategoryLint && d.LogLineEnd+nearEnd > st.lastN {
			return true
		}
	}
	return false
}

// pass settles a step that has passed.
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

// lastSure returns the line of the last certain error, or 0 if there is none.
func (st *step) lastSure() int {
	last := 0
	for _, d := range st.drafts {
		if d.counts() && d.isSure() {
			last = max(last, d.LogLine)
		}
	}
	return last
}

// isSure reports whether the tool reports the error in its own syntax.
func (d *Draft) isSure() bool { return d.Weight == Certain || d.Weight == Died }

// settleLikely drops likely errors that a later certain error explains. It reports whether any certain or likely
// error remains.
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

// settleStatuses keeps the failed tests of unknown runners if no certain error explains the step's failure. It
// reports whether it kept any failed test.
func (st *step) settleStatuses(sure bool) bool {
	count := st.outcome == Failed && !sure
	kept, taken := map[string]*Draft{}, map[int]bool{}
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
		before := kept[d.Key]
		if before != nil && before.LogLineEnd == before.LogLine && d.LogLineEnd > d.LogLine { // d has the details
			before.Merged, before = true, nil
		}
		if d.Merged = !count || before != nil || taken[d.LogLine]; !d.Merged {
			kept[d.Key] = d
		}
	}
	return len(kept) > 0
}

// unsureSince returns the last log line of the newest error if the step failed and no error is certain. Otherwise it
// returns 0. Guesses more than veryNearEnd lines after this line may still count. If a step goes on long after its
// errors, it may have failed for another reason.
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

// counts reports whether the draft is an error that was not merged into another draft.
func (d *Draft) counts() bool { return !d.Merged && d.Severity == store.SeverityError }

// Only the last lastGuesses guesses of a step are used, and only if they are close to the end of the step. nearEnd,
// veryNearEnd and atEnd are the max distances in lines.
const (
	lastGuesses = 4
	nearEnd     = 100
	veryNearEnd = 20 // for warnings of a linter, for guesses after uncertain errors, and for steps that may have passed
	atEnd       = 3  // for warnings of a compiler
)

// settleGuesses adds the guesses near the end of the step to the drafts. The parameter after is a number of a log line:
// guesses up to this line are ignored. settleGuesses reports whether it added any guess.
func (st *step) settleGuesses(after int) bool {
	near := nearEnd
	if st.outcome == Unknown || after > 0 {
		near = veryNearEnd
	}
	var found []*Draft
	tells := after > 0 // an error or a guess says more than that a command failed
	for _, d := range st.guesses[max(0, len(st.guesses)-lastGuesses):] {
		if d.LogLine <= after || max(d.LogLineEnd, d.lastSeen)+near <= st.lastN || after > 0 && d.sumsUp() ||
			d.Weight == Shown && st.outcome != Failed || st.isRead(d) {
			continue
		}
		found = append(found, d)
		tells = tells || !d.onlyEnded()
	}
	for _, d := range found {
		if tells && d.onlyEnded() {
			continue
		}
		if d.Weight != Status {
			st.drafts = append(st.drafts, d)
		}
		d.Merged = false
	}
	return len(found) > 0
}

// onlyEnded reports whether the draft only says how a command ended: "make returned exit status 2".
func (d *Draft) onlyEnded() bool {
	return strings.IndexByte(d.Message, '\n') < 0 && onlyFailed.In(strings.ToLower(d.Message))
}

// isRead reports whether a warning or an error of a tool already contains all lines of a guess.
func (st *step) isRead(guess *Draft) bool {
	for _, d := range st.drafts {
		if !d.Merged && d.Weight < Repeat && d.Severity != store.SeverityInfo && d.LogLine <= guess.LogLine &&
			guess.LogLineEnd <= d.LogLineEnd {
			return true
		}
	}
	return false
}

// sumsUp reports whether the guess probably only repeats failed tests. Such a guess names a failed test again, or the
// number of failed tests.
func (d *Draft) sumsUp() bool {
	return d.Weight == Status || strings.Contains(d.Message, "test") || strings.Contains(d.Message, "Test") ||
		strings.HasSuffix(strings.TrimRight(d.Message, ".!"), " failed")
}

// demoteRepeats turns repeats into info. It returns the repeat that may become the error if nothing else explains
// the failure. It prefers repeats of tools to repeats of the CI system. Several tools that give up one after another
// print a chain of repeats. The first repeat is the nearest to the cause, so demoteRepeats returns the first repeat of
// the last chain. Within a chain, it prefers repeats with details to mere marks such as "BUILD FAILED".
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

// chainGap is the max number of lines between two repeats of one chain.
const chainGap = 10

// forgiveMissing turns errors about missing files into info. It is used for steps after a failed step, because the
// failed step may not have created the files.
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

// isMissingFile reports whether a message says that a file does not exist.
func isMissingFile(message string) bool {
	if strings.Contains(message, " option does not exist") {
		return false
	}
	for _, w := range [...]string{"No such file", "no such file", "cannot stat", "cannot access", "does not exist",
		"ENOENT", "No files were found", "no files found", "No files found", "ould not find file", "ouldn't open file",
		"No coverage", "o such path"} {
		if strings.Contains(message, w) {
			return true
		}
	}
	return false
}
