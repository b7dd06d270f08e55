package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// Format describes the output of one tool as data. A format without an open block gets only lines that contain one of
// its literals (see also Levels). All literals are searched for in one pass, so other lines cost little.
type Format struct {
	Name  string // short and unique; it becomes the tool_name of events that name no tool
	About string // what the format reads, for `blq formats`: one line without a full stop

	Triggers []string // literals anywhere in a line; literals of less than 4 bytes slow down every line
	Starts   []string // literals at the start of a line without its envelope

	// Lines, Match and New read a line that contains a literal. Lines is tried first. If none of its patterns fits,
	// Match or New reads the line.
	Lines Lines
	Match Matcher        // has no state between lines
	New   func() Matcher // returns a matcher with its own state, for each lane of a log

	// Outcomes returns a function that reads test outcomes from lines. Each lane of a log gets its own function.
	// Outcomes is used only if the caller of the parser wants outcomes. The function takes no line from other formats.
	Outcomes func() func(s *Scan, l Line)

	Document *Document // for formats that consist of one JSON or XML document

	// Ends are the beginnings of lines that end an open block of another format. They must be texts that only this
	// format's lines have.
	Ends []string

	// Levels offers every line with a CI level to the format, even if the line has no literal of the format.
	Levels bool

	every bool // every line is offered to the format; for the user's problem matchers without a literal
}

// Matcher reads a line that contains a literal of its format. If the format sets Levels, Matcher also reads lines with
// a CI level. It returns true if it took the line. Other formats then do not see the line.
type Matcher func(s *Scan, l Line) bool

// readsLines reports whether the format reads lines. Some formats read only documents.
func (f *Format) readsLines() bool { return f.Lines != nil || f.Match != nil || f.New != nil }

// matcher returns the matcher for a lane of a log. It returns nil if the format does not read lines.
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

// Line is a line of the log in the form that formats see.
type Line struct {
	Text string // without envelope, colours and line end; blanks at both ends are kept
	N    int    // number in the raw log, from 1; only \n counts as a line end

	// Level is the level that the CI system gave the line with a mark like ##[error]: error, warning, notice, debug,
	// group, command … It is "" for plain output.
	Level string
}

// Trim returns the text without blanks at both ends.
func (l Line) Trim() string { return strings.TrimSpace(l.Text) }

// Indent returns the number of blanks at the start of the text. A tab counts as one.
func (l Line) Indent() int { return len(l.Text) - len(strings.TrimLeft(l.Text, " \t")) }

// Verdict is the decision of an open block about a line.
type Verdict int

// A Verdict says what a block does with a line.
const (
	Take Verdict = iota // the block takes the line, and more may follow
	Pass                // other formats get the line, but the block stays open
	Last                // the block takes the line and ends
	Done                // the block has ended before this line; all formats get the line
)

// Weight says how certain an event is. At the end of a step, the weights and the outcome of the step decide which
// events count.
type Weight int

// These are the weights.
const (
	// Certain means that the tool reports the failure in its own syntax.
	Certain Weight = iota
	// Likely means that the line reads like a failure, such as a stack trace or "Error: …". Passing steps print such
	// lines, too. So the event does not count if its step passed, or if a certain error follows.
	Likely
	// Repeat means that the line only repeats another failure, such as "make: ***" or "BUILD FAILED". The event becomes
	// info. At most one Repeat of a step stays an error, and only if nothing else explains the failure.
	Repeat
	// Died means that a program crashed or reported a memory error. The event is a certain error. If the step passed,
	// it is only a warning, because steps also crash programs on purpose.
	Died
	// Guess means that a line of an unknown tool reports a failure in plain words. The event counts only near the end
	// of a step that did not pass and has no certain error.
	Guess
	// Status means that a line of an unknown test runner reports a failed test. If the step failed and none of its
	// errors is certain, the event counts, even far from the end of the step. If the outcome of the step is unknown,
	// the event is treated like a Guess.
	Status
	// Shown is like Guess, but for lines without words of failure, such as a diff of files. The event counts only if
	// the step is known to have failed.
	Shown
)

// Rank orders drafts that report the same failure at several places in the log.
type Rank int

// These are the ranks. Several drafts may have the same key. The draft with the highest rank determines the place of
// the event.
const (
	Detail  Rank = 0  // the full report of a failure
	Summary Rank = -1 // a list at the end of the run
	Mark    Rank = -2 // a word during the run
)

// Draft is an event that is not complete yet. A format may change the draft while the format has an open block.
type Draft struct {
	store.Event
	Weight Weight
	Key    string // drafts of a step with the same tool and Key are one failure; "" joins no drafts
	Rank   Rank

	Dir    string // directory of a relative File, "" for the directory of Scan.Enter
	Merged bool   // another draft reports the same failure, so this draft is not an event

	lastSeen int // for a guess: the last line with the same text

	amongPasses bool // the draft is between marks of passed tests of one test run
}

// Extend makes l the last line of the draft, unless the draft already ends at l or later.
func (d *Draft) Extend(l Line) {
	if l.N > d.LogLineEnd {
		d.LogLineEnd = l.N
	}
}

// Move moves the draft to line l.
func (d *Draft) Move(l Line) {
	d.LogLine, d.LogLineEnd, d.lastSeen = l.N, l.N, l.N
}

// At sets the place of the draft, unless the draft has one.
func (d *Draft) At(file string, line, column int) {
	if d.File == "" {
		d.File, d.Line, d.Column = file, line, column
	}
}
