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
	outcome Outcome
	drafts  []*Draft
	byKey   map[string]*Draft
	sure    bool // a certain error was handed out already
	tail    [tailLines]tailLine
	tailPos int
}

// tailLine is one of the last lines that the step printed.
type tailLine struct {
	n    int
	text []byte
}

const (
	tailLines = 8
	tailWidth = 400
)

func newStep() *step { return &step{byKey: map[string]*Draft{}} }

// words keeps the last lines with text: what a step says last explains a
// failure that no format knows.
func (st *step) words(text []byte, n int) {
	if len(bytes.TrimSpace(text)) == 0 {
		return
	}
	if len(text) > tailWidth {
		text = text[:tailWidth]
	}
	t := &st.tail[st.tailPos%tailLines]
	t.n, t.text = n, append(t.text[:0], text...)
	st.tailPos++
}

// add keeps a draft, or folds it into the one with the same key.
func (st *step) add(d Draft) *Draft {
	p := &d
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
	old.merged, p.merged = false, false
	if d.Rank > old.Rank {
		old.fold(p)
		st.byKey[key] = p
		return p
	}
	p.fold(old)
	return p
}

// fold makes d a part of into, which keeps its own place and words.
func (d *Draft) fold(into *Draft) {
	d.merged = true
	if into.File == "" || (into.Line == 0 && into.File == d.File) {
		into.File, into.Line, into.Column, into.dir = d.File, d.Line, d.Column, d.dir
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
func (st *step) settle(s *Scan) {
	var lastSure, lastLikely int
	for _, d := range st.drafts {
		if d.merged || d.Severity != store.SeverityError {
			continue
		}
		switch d.Weight {
		case Died:
			if st.outcome == Passed {
				d.Severity = store.SeverityWarning
			} else {
				lastSure = max(lastSure, d.LogLine)
			}
		case Certain:
			lastSure = max(lastSure, d.LogLine)
		case Likely:
			lastLikely = max(lastLikely, d.LogLine)
		}
	}
	errors := st.sure || lastSure > 0
	for _, d := range st.drafts {
		if d.merged || d.Severity != store.SeverityError || d.Weight != Likely {
			continue
		}
		if st.outcome == Passed || (errors && d.LogLine < lastSure) {
			d.merged = true
		} else {
			errors = true
		}
	}
	var repeat *Draft
	for _, d := range st.drafts {
		if d.Weight == Repeat && !d.merged && d.Severity == store.SeverityError {
			d.Severity = store.SeverityInfo
			repeat = d
		}
	}
	switch {
	case errors || st.outcome == Passed:
	case repeat != nil:
		repeat.Severity = store.SeverityError
	case st.outcome == Failed:
		st.lastWords(s)
	}
}

// lastWords makes an event of the last thing that a failed step printed, when
// no format recognised anything.
func (st *step) lastWords(s *Scan) {
	if st.tailPos == 0 {
		return
	}
	t := st.tail[(st.tailPos-1)%tailLines]
	d := Draft{Event: store.Event{Severity: store.SeverityError, Message: strings.TrimSpace(string(t.text)), Tool: "unknown",
		Category: store.CategoryRuntime, LogLine: t.n, LogLineEnd: t.n}}
	st.drafts = append(st.drafts, &d)
}

// setAsideUnsure removes the drafts that only the step's end can settle, and
// returns the newest of them.
func (st *step) setAsideUnsure(most int) []*Draft {
	var unsure []*Draft
	certain := st.drafts[:0:0]
	for _, d := range st.drafts {
		switch {
		case d.merged:
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
		if d.merged {
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
	e.Message = cleanMessage(e.Message)
	e.Test = cleanMessage(e.Test)
	if e.File != "" {
		e.File = p.clean(strings.ToValidUTF8(e.File, "\ufffd"), d.dir)
	}
	e.Fingerprint, e.Pattern = store.Fingerprint(e), store.Pattern(e)
	return e
}

const maxMessage = 2000

// cleanMessage makes text fit for a field: valid UTF-8, no NUL, of bounded length.
func cleanMessage(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	s = strings.TrimSpace(strings.ReplaceAll(s, "\x00", "\ufffd"))
	if len(s) > maxMessage {
		cut := maxMessage
		for cut > 0 && s[cut]&0xc0 == 0x80 {
			cut--
		}
		s = s[:cut] + "…"
	}
	return s
}
