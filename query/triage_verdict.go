package query

import (
	"fmt"
	"slices"
	"strings"

	"github.com/blq-ci/blq/store"
)

// wordless reports whether every error says only that something failed. It returns true if there are no errors.
func wordless(lists ...[]store.RunEvent) bool {
	for _, list := range lists {
		for _, e := range list {
			if e.Category == store.CategoryTest || !restates.MatchString(opening(e.Message)) {
				return false
			}
		}
	}
	return true
}

// verdict returns the result of the triage in one sentence. The sentence contains no text from logs.
func (t Triage) verdict(r store.Run, named bool) string {
	c := t.Counts
	switch t.Status {
	case store.StatusOK:
		s := passed(r)
		if !named && t.counting() == 0 {
			s = t.allPassed(r) + t.leftOutClause()
		}
		if c.Fixed != nil && *c.Fixed > 0 {
			s += fmt.Sprintf("; %s of %s fixed", plural(*c.Fixed, "error"), t.Baseline.RunRef)
		}
		if t.Previous != nil && t.Previous.Errors > 0 {
			s += fmt.Sprintf("; %s before it had %s", t.Previous.RunRef, plural(t.Previous.Errors, "error"))
		}
		return s
	case store.StatusRunning:
		return t.RunRef + " is running: ask again when it has ended" + t.sofar()
	}
	ended := map[store.Status]string{
		store.StatusTimeout: "was stopped: it took too long", store.StatusCancelled: "was cancelled",
		store.StatusOrphaned: "was lost: its recorder died before it ended",
	}[t.Status]
	switch {
	case ended == "" && t.Signal != "":
		ended = "was ended by " + t.Signal
	case ended == "":
		ended = "failed"
	}
	return t.failed(t.RunRef+" "+ended, r.Lost != "") + t.despite(r)
}

// failed returns the sentence that begins with s and continues with the way the run failed and the known facts about
// the cause. The parameter lost is true if the log was not recorded in full.
func (t Triage) failed(s string, lost bool) string {
	c := t.Counts
	switch {
	case t.Tail != "" && t.Status == store.StatusFail && c.Errors > 0:
		return s + ", and its errors do not say why: the cause should be at the end of the log"
	case c.Errors == 0 && t.Tail == "" && t.Status == store.StatusOrphaned:
		return s + ", and nothing of its log was kept"
	case c.Errors == 0 && lost:
		return s + ", and its log was not recorded in full"
	case c.Errors == 0 && t.Tail == "":
		return s + " and printed nothing"
	case c.Errors == 0:
		return s + ", and no error was recognised in its log: the cause should be at the end of the log"
	case t.Baseline.RunRef == "":
		return s + ": " + plural(c.Errors, "error") + ", nothing to compare with"
	case *c.New == 0:
		return s + ": " + plural(c.Errors, "error") + ", none new since " + t.Baseline.RunRef + t.flakyOnly()
	}
	s = fmt.Sprintf("%s: %s, %d new since %s", s, plural(c.Errors, "error"), *c.New, t.Baseline.RunRef)
	if *c.Known > 0 {
		s += fmt.Sprintf(", %d known", *c.Known)
	}
	return s
}

// passed returns a text about the end of a run that is OK.
func passed(r store.Run) string {
	switch ref := r.Ref().String(); {
	case r.ExitCode == nil:
		return ref + " has no recognised errors; how its command ended is not known"
	case r.Errors > 0:
		return fmt.Sprintf("%s passed, although it reported %s", ref, plural(r.Errors, "error"))
	default:
		return ref + " passed"
	}
}

// allPassed returns the verdict for the case that the newest run of each step passed, or is not known to have failed.
// The verdict says what is not known.
func (t Triage) allPassed(r store.Run) string {
	last := t.RunRef + " last"
	elsewhere := slices.ContainsFunc(t.Others, func(o OtherRun) bool { return o.Branch != "" })
	if elsewhere && r.Git.Branch != "" {
		last = t.RunRef + " on " + Clean(r.Git.Branch) + " last"
	}
	var s string
	switch {
	case len(t.near.noisy) > 0:
		s = "the newest run of every source passed, but " + refs(t.near.noisy) + " reported errors"
	case len(t.near.unknown) > 0:
		s = "no failure is known: the newest run of every source passed or has no recognised errors, " + last
	case elsewhere:
		s = "the newest run of every source passed, " + last
	case t.near.partial != "":
		s = "no failure is known: the newest run of every source passed, " + last
	default:
		s = "nothing fails: the newest run of every source passed, " + last
	}
	if len(t.near.unknown) > 0 {
		s += "; how " + refs(t.near.unknown) + " ended is not known"
	}
	if t.near.partial != "" {
		s += "; " + t.near.partial
	}
	return s
}

// maxNamed is the max number of runs that a verdict names.
const maxNamed = 3

// refs returns the references of one or more runs as text. It only counts the runs beyond maxNamed.
func refs(runs []store.Run) string {
	var list []string
	for _, r := range runs[:min(len(runs), maxNamed)] {
		list = append(list, r.Ref().String())
	}
	if more := len(runs) - maxNamed; more > 0 {
		list = append(list, plural(more, "other run"))
	}
	if n := len(list) - 1; n > 0 {
		return strings.Join(list[:n], ", ") + " and " + list[n]
	}
	return list[0]
}

// despite returns a clause about a later run with the same name that passed. The clause says why this success does not
// prove that the failed step passes now.
func (t Triage) despite(r store.Run) string {
	o := t.near.passed
	if o == nil {
		return ""
	}
	what := r.DiffersFrom(*o)
	if what == "" {
		return unanswered{Run: r, Passed: *o}.despite()
	}
	return fmt.Sprintf("; %s passed later, but has another %s", o.Ref(), what)
}

// counting returns the number of the other runs that count.
func (t Triage) counting() int {
	n := t.unnamed
	for _, o := range t.Others {
		if o.LeftOut == "" && o.Branch == "" {
			n++
		}
	}
	return n
}

// leftOutClause returns a clause about failed runs on other branches, and about runs that do not count. The clause
// says why these runs do not count.
func (t Triage) leftOutClause() string {
	s := ""
	for _, o := range t.Others {
		if o.Branch != "" {
			s += fmt.Sprintf("; the newest on %s, %s, is %s", o.Branch, o.RunRef, o.Status)
		}
		if o.LeftOut != "" {
			s += fmt.Sprintf("; %s, which is %s, is left out: %s", o.RunRef, o.Status, o.LeftOut)
		}
	}
	return s
}

func (t Triage) sofar() string {
	if t.Counts.Errors == 0 {
		return ""
	}
	return "; " + plural(t.Counts.Errors, "error") + " so far"
}

// flakyOnly returns a clause that says that all errors are flaky. It returns "" if an error is not flaky, or if there
// are no known errors.
func (t Triage) flakyOnly() string {
	if t.onlyFlaky() {
		return ", all of them flaky"
	}
	return ""
}

func (t Triage) onlyFlaky() bool {
	for _, g := range slices.Concat(t.New, t.Errors, t.Known) {
		if g.Flaky == nil {
			return false
		}
	}
	return len(t.Known) > 0
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return itoa(n) + " " + noun + "s"
}

// clip cuts text to n characters, and marks the cut.
func clip(s string, n int) string {
	s = strings.TrimSpace(s)
	if len(s) <= n {
		return s
	}
	if r := []rune(s); len(r) > n {
		return strings.TrimSpace(string(r[:n])) + "…"
	}
	return s
}
