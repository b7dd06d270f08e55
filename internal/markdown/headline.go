package markdown

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/blq-ci/blq/store"
)

// nameBytes is the max length in bytes of a name, such as that of a source, branch or job.
const nameBytes = 80

// headline returns a line about the outcome of the run and the number of new errors.
func headline(f *Facts) string {
	r := f.Run
	name := Code(r.Source, nameBytes)
	switch r.Status() {
	case store.StatusRunning:
		return "⏳ " + name + " is running" + f.counted(" so far")
	case store.StatusOrphaned:
		return "⚠️ " + name + " was lost: its recorder died, and nobody knows how it ended" + f.counted(" until then")
	case store.StatusTimeout:
		return "⏱️ " + name + " timed out after " + Took(r.Duration()) + f.counted(" until then")
	case store.StatusCancelled:
		return "🚫 " + name + " was cancelled after " + Took(r.Duration()) + f.counted(" until then")
	case store.StatusOK:
		if f.Gate != "" {
			return "❌ " + name + " fails by " + Code(f.Gate, nameBytes) + f.counted("") + "; its command passed"
		}
		if r.ExitCode == nil && r.Errors == 0 {
			return "❔ " + name + " has no recognised errors; how its command ended is not known"
		}
		if len(f.Beside) > 0 {
			return "⚠️ " + name + " passed" + f.passed() + "; " + f.beside()
		}
		return "✅ " + name + " passed" + f.passed()
	}
	line := "❌ " + name + " failed"
	if r.Errors > 0 && f.Unexplained {
		return line + unexplained + f.counted("")
	}
	if r.Errors > 0 {
		return line + f.counted("")
	}
	if r.Lost != "" && r.ExitCode == nil && r.Signal == "" {
		return "❌ " + name + " has no recognised errors, but a part of its log was lost"
	}
	switch {
	case r.Signal != "":
		line += ", ended by " + Code(r.Signal, 20)
	case r.ExitCode != nil:
		line += " with exit code " + strconv.Itoa(*r.ExitCode)
	}
	return line + "; no error was recognised in its log"
}

// unexplained is the end of a clause about a failed run whose errors do not explain the failure.
const unexplained = ", and its errors do not say why"

// maxBeside is the max number of other runs in a headline.
const maxBeside = 3

// beside names the runs of other steps that did not pass.
func (f *Facts) beside() string {
	var names []string
	for _, r := range f.Beside[:min(len(f.Beside), maxBeside)] {
		names = append(names, Code(r.Ref().String(), nameBytes)+" is "+string(r.Status()))
	}
	if more := len(f.Beside) - maxBeside; more > 0 {
		names = append(names, fmt.Sprintf("%d more did not pass", more))
	}
	return strings.Join(names, ", ")
}

// counted returns the numbers of errors and new errors in words.
func (f *Facts) counted(when string) string {
	if f.Run.Errors == 0 {
		return ""
	}
	line := ": " + Count(f.Run.Errors, "error") + when
	also := f.KnownErrors - f.FlakyErrors
	switch {
	case !f.Baseline.Found():
	case f.NewErrors == 0 && f.FlakyErrors == 0 && f.Run.Errors == 1:
		return line + ", not new: also " + f.where()
	case f.NewErrors == 0 && f.FlakyErrors == 0:
		return line + ", none new: all also " + f.where()
	case f.NewErrors == 0:
		line += ", none new"
	case f.KnownErrors == 0 && f.NewErrors == 1:
		return line + ", new"
	case f.KnownErrors == 0:
		return line + ", all new"
	default:
		line += fmt.Sprintf(", %d new", f.NewErrors)
	}
	if f.FlakyErrors > 0 {
		line += fmt.Sprintf(", %d flaky", f.FlakyErrors)
	}
	if also > 0 {
		line += fmt.Sprintf(", %d also %s", also, f.where())
	}
	return line
}

// where returns a text that says where the known errors occur as well: on a branch, or in the baseline run.
func (f *Facts) where() string {
	b := f.Baseline
	if (b.Kind == store.BaselineMergeBase || b.Kind == store.BaselineBranch) && b.Branch != "" {
		return "on " + Code(b.Branch, nameBytes)
	}
	return "in " + Code(b.Run.Ref().String(), nameBytes+100)
}

// passed returns a line about the errors and warnings of a run that passed.
func (f *Facts) passed() string {
	r, line := f.Run, ""
	if d := r.Duration(); d > 0 {
		line = " in " + Took(d)
	}
	if r.Errors > 0 {
		line += ", although it reported " + Count(r.Errors, "error")
	}
	if f.Fixed > 0 {
		line += ", " + Count(f.Fixed, "error") + " fixed since " + Code(f.Baseline.Run.Ref().String(), nameBytes+100)
	}
	if r.Warnings > 0 {
		line += ", " + Count(r.Warnings, "warning")
		if f.NewWarnings > 0 {
			line += fmt.Sprintf(" (%d new)", f.NewWarnings)
		}
	}
	return line
}

// BaselineLine returns a sentence that names the baseline and the reason for its choice. If there is no baseline, the
// sentence says so.
func BaselineLine(b store.Baseline) string {
	run, branch := Code(b.Run.Ref().String(), nameBytes+100), ""
	if b.Branch != "" {
		branch = " on " + Code(b.Branch, nameBytes)
	}
	switch b.Kind {
	case store.BaselineGiven:
		return "Compared with " + run + ", as asked."
	case store.BaselineMergeBase:
		return "Compared with " + run + branch + at(b.Commit) + ", where this branch starts."
	case store.BaselineBranch:
		return "Compared with " + run + ", the newest run" + branch + " before this branch starts."
	case store.BaselinePrevious:
		return "Compared with " + run + ", the run before it" + branch + "."
	}
	if b.Reason == "" {
		return "There is nothing to compare with, so nothing is called new."
	}
	return "Nothing to compare with, so nothing is called new: " + Code(b.Reason, 300)
}

// at returns the abbreviated hash of a commit as the end of a phrase.
func at(commit string) string {
	if commit == "" {
		return ""
	}
	return " at " + Code(shortCommit(commit), 20)
}

func shortCommit(commit string) string { return commit[:min(len(commit), 9)] }

// Count returns a number and a noun, singular or plural.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// Took returns a duration in a form for people.
func Took(d time.Duration) string {
	switch {
	case d < time.Second:
		return strconv.Itoa(int(d.Milliseconds())) + " ms"
	case d < 10*time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	case d < 100*time.Second:
		return strconv.Itoa(int(d.Seconds()+0.5)) + " s"
	case d < 100*time.Minute:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}
