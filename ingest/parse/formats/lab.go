package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// labFormat reads the variables that lab's tests leaked, and a coverage that is too low. labBlock reads lab's list of
// failed tests.
var labFormat = parse.Format{
	Name:  "lab",
	About: "lab: failed tests, leaked variables, coverage below the threshold",
	Lines: parse.Lines{
		{Text: "^«The following leaks were detected:{message}»", Category: store.CategoryTest},
		{Text: "^«Code coverage below threshold: {message}»", Category: store.CategoryTest},
	},
	Starts: []string{"The following leaks were detected:", "Code coverage below threshold: "},
}

// labTitle returns the name of a failed test from the line above its details: "  1) math adds:".
func labTitle(l parse.Line) (title string, ok bool) {
	if l.Indent() != 2 {
		return "", false
	}
	_, title, ok = parse.CutNumber(l.Trim())
	if ok {
		title, ok = strings.CutSuffix(title, ":")
	}
	return title, ok
}

// labBlock reads the list of failed tests. An item has the number of its test among all tests, so the list skips
// numbers. lab and Surefire print the same heading above their lists. So surefireFormat reads the heading, and calls
// foreignList for the lists of other runners.
type labBlock struct {
	s     *parse.Scan
	d     *parse.Draft
	diff  bool // a diff in colours stands before the message
	blank parse.Blanks
	msg   parse.Message
	trace jsTrace
}

func (b *labBlock) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	blank, empty := b.blank.Line(text)
	if title, ok := labTitle(l); ok {
		b.d = b.s.Add(parse.Draft{Event: store.Event{Tool: "lab", Category: store.CategoryTest, Test: title,
			Message: title}})
		b.msg, b.trace, b.diff = parse.Message{}, jsTrace{}, false
		return parse.Take
	}
	switch {
	case empty:
		b.msg.Add("")
		return parse.Take
	case b.d == nil || l.Indent() < 6:
		return parse.Done
	}
	b.d.Extend(l)
	switch {
	case b.trace.add(text):
		b.msg.End()
		b.trace.tell(b.d)
	case text == "actual expected":
		b.diff = true
	default:
		if b.diff && blank > 0 && !b.trace.seen {
			b.msg = parse.Message{} // the last paragraph is the message
		}
		b.msg.Tell(b.d, text)
	}
	return parse.Take
}
