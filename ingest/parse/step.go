package parse

import (
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
	said        *said    // the last lines
	lastN       int      // number of the last line with a word, 0 for none
	hushed      bool     // what follows is no output of the step
	noLastWords bool     // the outcome is from outside of the log
}

// maxGuesses is how many guesses a step holds: the newest.
const maxGuesses = 32

func newStep() *step { return &step{byKey: map[string]*Draft{}, said: &said{}} }

// begin makes a step that is over another one, in the same memory.
func (st *step) begin() {
	said := st.said
	said.n, said.gap = 0, false
	*st = step{byKey: st.byKey, said: said}
}

// add keeps a draft, or folds it into the one with the same key.
func (st *step) add(d Draft) *Draft {
	p := &d
	if d.Weight == Guess || d.Weight == Shown {
		return st.guess(p)
	}
	if d.Weight == Status {
		st.guess(p)
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

// manyKeys is how many keys a map may have to be used again: clearing it takes as long as its size.
const manyKeys = 100

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
	if len(st.byKey) > manyKeys {
		st.byKey = map[string]*Draft{}
	}
	clear(st.byKey)
	return events
}

// event finishes a draft: clean text, repository-relative file, fingerprint. Its pattern is left out.
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
	e.Fingerprint = store.Fingerprint(e)
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
