package parse

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/blq-ci/blq/store"
)

// Outcome is the outcome of a step.
type Outcome int

// These are the outcomes of a step of a CI job.
const (
	Unknown Outcome = iota
	Passed
	Failed
)

// step holds the drafts between two step markers of the CI system. A log without markers is one step.
type step struct {
	outcome       Outcome
	marked        bool // lines of the CI system mark the end of the step
	drafts        []*Draft
	byKey         map[string]*Draft
	guesses       []*Draft // the newest guesses, for a failure without a known reason
	sure          bool     // a certain error was already emitted
	said          *said    // the last lines that no format took
	lastN         int      // number of the last line with a word, 0 for none
	hushed        bool     // the following lines are not output of the step
	noLastWords   bool     // the last lines do not explain a failure
	failsBySaying bool     // an error line of the CI system means that the step failed
	unknown       bool     // lines that no format took are of unknown tools, because several formats read the log
}

// maxGuesses is the max number of guesses of a step. The step keeps the newest guesses.
const maxGuesses = 32

func newStep() *step { return &step{byKey: map[string]*Draft{}, said: &said{}} }

// begin resets the step and reuses its memory.
func (st *step) begin() {
	said := st.said
	said.n, said.gap = 0, false
	*st = step{byKey: st.byKey, said: said, unknown: st.unknown}
}

// add adds a draft. If two drafts have the same tool and key, and different ranks, the draft with the lower rank is
// merged into the other.
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

// guess adds a guess, and keeps only the newest guesses. A guess that repeats an earlier guess reports the same
// failure, for example if a command is tried three times. The failure keeps the place of the earlier guess.
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

// fold merges d into another draft. The other draft keeps its own place, message, code and test. If one of these is
// missing, fold copies it from d.
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

// setAsideUnsure removes the drafts that are not certain or are merged. It returns the newest drafts that are not
// certain, at most limit.
func (st *step) setAsideUnsure(limit int) []*Draft {
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
	return unsure[max(0, len(unsure)-limit):]
}

// manyKeys is the max number of keys in a map that is reused. To clear a larger map would take too long.
const manyKeys = 100

// take removes all drafts of the step. It returns the drafts that are not marked as merged, in the order of the log.
func (st *step) take() []*Draft {
	events := st.drafts
	st.drafts = nil
	if len(st.byKey) > manyKeys {
		st.byKey = map[string]*Draft{}
	}
	clear(st.byKey)
	events = slices.DeleteFunc(events, func(d *Draft) bool { return d.Merged })
	slices.SortStableFunc(events, func(a, b *Draft) int { return a.LogLine - b.LogLine })
	for _, d := range events {
		if d.Severity == store.SeverityError && d.Weight == Certain {
			st.sure = true
			break
		}
	}
	return events
}

// event makes an event of a draft: it cleans the text, makes the file relative to the repository, and computes the
// fingerprint. It leaves out the pattern.
func (s *Scan) event(d *Draft) store.Event {
	e := d.Event
	for _, text := range [...]*string{&e.Message, &e.Test, &e.Tool, &e.Code, &e.File} {
		*text = cleanText(*text)
	}
	s.identities.set(&e, d.Dir, &s.paths)
	return e
}

// MaxText is the max size in bytes of a text field of an event.
const MaxText = 2000

// cleanText returns a text as valid UTF-8, without NUL and without white space around it. It cuts the text after at
// most MaxText bytes.
func cleanText(s string) string {
	if s == "" {
		return s
	}
	if !utf8.ValidString(s) { // much faster than ToValidUTF8
		s = strings.ToValidUTF8(s, "\ufffd")
	}
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "\ufffd")
	}
	s = strings.TrimSpace(s)
	if len(s) > MaxText {
		cut := MaxText
		for cut > 0 && s[cut]&0xc0 == 0x80 {
			cut--
		}
		s = s[:cut] + "…"
	}
	return s
}
