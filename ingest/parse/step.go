package parse

import (
	"bytes"
	"sort"
	"strings"

	"github.com/blq-ci/blq/store"
)

// Outcome is how a step ended.
type Outcome int

// The outcomes.
const (
	Unknown Outcome = iota
	Passed
	Failed
)

// step gathers the drafts between two step markers of the CI system, or of
// the whole log where there are none.
type step struct {
	outcome     Outcome
	marked      bool // the CI system's own lines say where the step ends
	drafts      []*Draft
	byKey       map[string]*Draft
	guesses     []*Draft // the newest, for what fails without a known reason
	sure        bool     // a certain error was handed out already
	last        []byte   // the last line with text
	lastN       int      // its number, 0 for none
	hushed      bool     // what follows is no output of the step
	noLastWords bool     // the outcome is from outside of the log
}

// maxGuesses is how many guesses a step holds: the newest.
const maxGuesses = 32

func newStep() *step { return &step{byKey: map[string]*Draft{}} }

// words keeps the last line with a word that no format took: what a step says last explains a
// failure that no format knows. (Of marked failure regions in real logs the
// last line lies inside more often than the start of the last paragraph.)
func (st *step) words(text []byte, n int) {
	if len(text) > MaxText {
		text = text[:MaxText]
	}
	if !st.hushed && hasWord(text) && !bytes.HasPrefix(text, []byte("travis_time:")) {
		st.last, st.lastN = append(st.last[:0], text...), n
	}
}

// hasWord reports whether text has two letters in a row: a rule of dashes says nothing.
func hasWord(text []byte) bool {
	letters := 0
	for _, c := range text {
		if IsLower(c|0x20) || c >= 0x80 {
			if letters++; letters == 2 {
				return true
			}
		} else {
			letters = 0
		}
	}
	return false
}

// add keeps a draft, or folds it into the one with the same key.
func (st *step) add(d Draft) *Draft {
	p := &d
	if d.Weight == Guess {
		return st.guess(p)
	}
	st.drafts = append(st.drafts, p)
	if d.Key == "" {
		return p
	}
	key := d.Tool + "\x00" + d.Key
	old := st.byKey[key]
	if old == nil || old.Rank == d.Rank {
		st.byKey[key] = p
		return p
	}
	old.Merged, p.Merged = false, false
	if d.Rank > old.Rank {
		old.fold(p)
		st.byKey[key] = p
		return p
	}
	p.fold(old)
	return p
}

// guess keeps the newest guesses. What is said again, as by a command that is
// tried three times, is one failure, in the place where it was said first.
func (st *step) guess(d *Draft) *Draft {
	d.lastSeen = d.LogLine
	for _, old := range st.guesses {
		if old.Message == d.Message {
			old.lastSeen = d.LogLine
			return d
		}
	}
	if len(st.guesses) == maxGuesses {
		st.guesses = append(st.guesses[:0], st.guesses[1:]...)
	}
	st.guesses = append(st.guesses, d)
	return d
}

// fold makes d a part of into, which keeps its own place and words.
func (d *Draft) fold(into *Draft) {
	d.Merged = true
	if into.File == "" || (into.Line == 0 && into.File == d.File) {
		into.File, into.Line, into.Column, into.Dir = d.File, d.Line, d.Column, d.Dir
	}
	if into.Message == "" {
		into.Message = d.Message
	}
	if into.Code == "" {
		into.Code = d.Code
	}
	if into.Test == "" {
		into.Test = d.Test
	}
}

// settle decides what counts, now that the step's outcome is known.
//
//   - The CI system's word on a step stands above what the step printed: the
//     errors of a step that it calls passed are warnings (a retried download,
//     a test of an error path, `make check || true`). The exit code of a whole
//     command does not do so: `make | tee log` passes, and its errors are true.
//   - What reads like a failure (Likely) counts unless the step passed, or a
//     certain error comes after it: causes are printed before the tools that
//     give up because of them, but what comes after the last certain error is
//     not explained by it.
//   - What is said in plain words (Guess) counts only where nothing else
//     does, and then near the end: a step that fails stops soon after the
//     line that says why, and the same words far above were survived.
//   - A linter's warnings explain a step that failed without an error.
//   - A tool's repeat is an error only where nothing else explains the step.
//   - A failed step without any of these has its last words as the error, and
//     where it said nothing, the CI system's remark.
func (st *step) settle() {
	if st.outcome == Passed {
		st.pass()
		return
	}
	errors := st.settleLikely()
	if !errors {
		errors = st.settleGuesses()
	}
	repeat := st.demoteRepeats()
	switch {
	case errors, st.lintedNearEnd():
	case st.outcome == Failed && !st.noLastWords && (repeat == nil || repeat.Category == store.CategoryCI) &&
		st.lastWords():
	case repeat != nil:
		repeat.Severity = store.SeverityError
	}
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
		case d.Weight == Likely:
			d.Merged = true
		case d.Weight == Repeat:
			d.Severity = store.SeverityInfo
		case st.marked || d.Weight == Died:
			d.Severity = store.SeverityWarning
		}
	}
}

// settleLikely drops likely errors that a later certain one explains, and
// reports whether any error is left.
func (st *step) settleLikely() bool {
	lastSure := 0
	for _, d := range st.drafts {
		if d.counts() && (d.Weight == Certain || d.Weight == Died) {
			lastSure = max(lastSure, d.LogLine)
		}
	}
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

// counts reports whether the draft is an error that was not folded away.
func (d *Draft) counts() bool { return !d.Merged && d.Severity == store.SeverityError }

// What guesses count: these many, and within these many lines of the end.
const (
	lastGuesses = 4
	nearEnd     = 100
	veryNearEnd = 20 // when nobody says that the step failed
)

// settleGuesses takes up the guesses that stand near the end of the step.
func (st *step) settleGuesses() bool {
	near := nearEnd
	if st.outcome == Unknown {
		near = veryNearEnd
	}
	found := false
	for _, d := range st.guesses[max(0, len(st.guesses)-lastGuesses):] {
		if max(d.LogLineEnd, d.lastSeen)+near > st.lastN {
			st.drafts = append(st.drafts, d)
			found = true
		}
	}
	return found
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

// lastWords makes an event of the last line that a failed step printed, when
// no format recognised anything.
func (st *step) lastWords() bool {
	text, _, _ := strings.Cut(string(st.last), "travis_time:") // the step's last line may have no end
	if !hasWord([]byte(text)) || SaysNone(text) || strings.Contains(text, "arning: ") {
		return false // a warning is no reason to fail
	}
	st.drafts = append(st.drafts, &Draft{Event: store.Event{Severity: store.SeverityError, Message: text, Tool: "unknown",
		Category: store.CategoryRuntime, LogLine: st.lastN, LogLineEnd: st.lastN}})
	return true
}

// setAsideUnsure removes the drafts that only the step's end can settle, and
// returns the newest of them.
func (st *step) setAsideUnsure(most int) []*Draft {
	var unsure []*Draft
	certain := st.drafts[:0:0]
	for _, d := range st.drafts {
		switch {
		case d.Merged:
		case d.Weight == Certain:
			certain = append(certain, d)
		default:
			unsure = append(unsure, d)
		}
	}
	st.drafts = certain
	return unsure[max(0, len(unsure)-most):]
}

// take returns the step's events in the order of the log and forgets them.
func (st *step) take(p paths) []store.Event {
	sort.SliceStable(st.drafts, func(i, j int) bool { return st.drafts[i].LogLine < st.drafts[j].LogLine })
	events := make([]store.Event, 0, len(st.drafts))
	for _, d := range st.drafts {
		if d.Merged {
			continue
		}
		if d.Severity == store.SeverityError && d.Weight == Certain {
			st.sure = true
		}
		events = append(events, d.event(p))
	}
	st.drafts = nil
	clear(st.byKey)
	return events
}

// event finishes a draft: clean text, repository-relative file, fingerprint.
func (d *Draft) event(p paths) store.Event {
	e := d.Event
	for _, text := range [...]*string{&e.Message, &e.Test, &e.Tool, &e.Code, &e.File} {
		*text = cleanText(*text)
	}
	if e.File != "" {
		if e.File = p.clean(e.File, d.Dir); e.File == "" {
			e.Line, e.Column = 0, 0
		}
	}
	e.Fingerprint, e.Pattern = store.Fingerprint(e), store.Pattern(e)
	return e
}

// MaxText is how many bytes of text a field of an event holds.
const MaxText = 2000

// cleanText makes text fit for a field: valid UTF-8, no NUL, of bounded length.
func cleanText(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	s = strings.TrimSpace(strings.ReplaceAll(s, "\x00", "\ufffd"))
	if len(s) > MaxText {
		cut := MaxText
		for cut > 0 && s[cut]&0xc0 == 0x80 {
			cut--
		}
		s = s[:cut] + "…"
	}
	return s
}
