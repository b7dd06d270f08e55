package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// Format is what one tool prints, as data. A format is offered only the lines
// that hold one of its literals, so a line without any costs one scan.
type Format struct {
	Name  string // short and unique; the tool_name of its events unless they say otherwise
	About string // what it reads, for `blq formats`: one line, no full stop

	Triggers []string // literals anywhere in a line: of 4 bytes or more, for those of 3 slow down all lines
	Starts   []string // literals at the start of a line, after the envelope

	// What reads a line that holds a literal: the patterns, and for what fits none of them Match or New.
	Lines Lines
	Match Matcher        // keeps nothing from line to line
	New   func() Matcher // makes a matcher with state of its own, for each lane of a log

	// Outcomes makes a reader of lines with the outcome of a test, for each lane of a log. It is used if somebody wants
	// outcomes. Other formats are offered the lines all the same.
	Outcomes func() func(s *Scan, l Line)

	Document *Document // for formats that are whole JSON or XML documents

	// Ends are how lines of this format start that no block of another format has in it: what was open has ended.
	Ends []string

	// Levels formats are also offered each line that the CI system gave a level.
	Levels bool

	every bool // offered every line: problem matchers of the user without a literal
}

// Matcher reads a line that holds a trigger of its format. It returns true
// when the line is its own; then no other format sees it.
type Matcher func(s *Scan, l Line) bool

// readsLines reports whether the format reads lines, and not documents alone.
func (f *Format) readsLines() bool { return f.Lines != nil || f.Match != nil || f.New != nil }

// matcher returns a matcher for a lane of a log, nil where the format does not read lines.
func (f *Format) matcher() Matcher {
	last := f.Match
	if f.New != nil {
		last = f.New()
	}
	if f.Lines == nil {
		return last
	}
	lines := f.Lines.matcher()
	if last == nil {
		return lines
	}
	return func(s *Scan, l Line) bool { return lines(s, l) || last(s, l) }
}

// Line is a line of the log as a format sees it.
type Line struct {
	Text string // without envelope, colour and line end; blanks at both ends are kept
	N    int    // number in the raw log, 1-based, counted by \n alone

	// Level is what the CI system marked the line as (##[error] and the like):
	// error, warning, notice, debug, group, command …; "" for plain output.
	Level string
}

// Trim returns the text without blanks at both ends.
func (l Line) Trim() string { return strings.TrimSpace(l.Text) }

// Indent returns how many blanks the text starts with; a tab counts as one.
func (l Line) Indent() int { return len(l.Text) - len(strings.TrimLeft(l.Text, " \t")) }

// Verdict is what an open block says about a line.
type Verdict int

// The verdicts.
const (
	Take Verdict = iota // the line is mine, more may come
	Pass                // the line is for others, but I stay open
	Last                // the line is mine and the last one
	Done                // the block ended before this line; offer it to all
)

// Weight says how sure an event is. It matters when the step has ended and
// its outcome is known.
type Weight int

// The weights.
const (
	// Certain: the tool says so in its own syntax.
	Certain Weight = iota
	// Likely: it reads like a failure (a stack trace, "Error: …") but passing
	// steps print such lines too. It counts unless its step passed or
	// certain errors explain the failure.
	Likely
	// Repeat: it restates the failure of something else ("make: ***",
	// "BUILD FAILED"): info where its step holds another error, and the
	// error where it does not.
	Repeat
	// Died: certain, but a warning where the step passed all the same:
	// programs that die or report memory errors are also run on purpose.
	Died
	// Guess: a line of an unknown tool that says a failure in plain words. It
	// counts near the end of a step that failed for no known reason.
	Guess
	// Status: a line of an unknown test runner that says that a test failed. It
	// counts wherever it stands in a step that failed without a certain error.
	// Where nobody knows how the step ended it is a Guess.
	Status
	// Shown: a Guess that says no failure in words, such as a difference of
	// files. It counts only where the step is known to have failed.
	Shown
)

// Rank orders what is said about one failure in several places.
type Rank int

// The ranks: of drafts with the same key the highest gives the place.
const (
	Detail  Rank = 0  // the full account
	Summary Rank = -1 // a list at the end
	Mark    Rank = -2 // a word while it ran
)

// Draft is an event in the making. A format may change it while its block is open.
type Draft struct {
	store.Event
	Weight Weight
	Key    string // drafts of a step with the same key and tool are one failure; "" for none
	Rank   Rank

	Dir    string // directory that a relative File belongs to, "" for the one of Scan.Enter
	Merged bool   // another draft tells it: it is no event of its own

	lastSeen int // last line that said the same, of a guess

	amongPasses bool // it stands between the marks of tests that passed, of one run
}

// Extend moves the draft's end to line l.
func (d *Draft) Extend(l Line) {
	if l.N > d.LogLineEnd {
		d.LogLineEnd = l.N
	}
}

// Move moves the draft to line l.
func (d *Draft) Move(l Line) {
	d.LogLine, d.LogLineEnd, d.lastSeen = l.N, l.N, l.N
}

// At sets the place of the draft where it has none yet.
func (d *Draft) At(file string, line, column int) {
	if d.File == "" {
		d.File, d.Line, d.Column = file, line, column
	}
}
