package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// pascalFrames reads the frames below an error of a Pascal program: "  $00000000004010B8  main,  line 4 of c.pas".
func pascalFrames(d *parse.Draft, _ parse.Line) func(parse.Line) parse.Verdict {
	return parse.Below{Indent: 2, Starts: []string{"$"}, Each: func(text string) { pascalFrame(d, text) }}.Block(d)
}

// pascalFrame sets the place of the draft if a frame has one.
func pascalFrame(d *parse.Draft, frame string) {
	_, at, ok := cutLast(frame, "line ")
	n, length := parse.Number(at)
	if file, named := strings.CutPrefix(at[length:], " of "); ok && named && n > 0 && parse.IsFileName(file) {
		d.At(file, n, 0)
	}
}

// pascalException reads the lines below "An unhandled exception occurred at $0000000000401099:". The first line has the
// class and the message of the exception. The frames follow.
func pascalException(d *parse.Draft, _ parse.Line) func(parse.Line) parse.Verdict {
	frames := pascalFrames(d, parse.Line{})
	return func(l parse.Line) parse.Verdict {
		if d.Code != "" || l.Indent() > 0 {
			return frames(l)
		}
		class, message, ok := strings.Cut(l.Text, ": ")
		if !ok || strings.Contains(class, " ") {
			return parse.Done
		}
		d.Code, d.Message = class, message
		d.Extend(l)
		return parse.Take
	}
}

// fpcunit reads an entry in FPCUnit's lists of failures, errors and ignored tests.
type fpcunit struct {
	s       *parse.Scan
	ignored bool
	d       *parse.Draft
}

func (u *fpcunit) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	name, value, _ := strings.Cut(text, ":")
	value = strings.TrimSpace(value)
	switch {
	case l.Indent() < 4 || text == "":
		return parse.Done
	case u.ignored:
		return parse.Take
	case u.d == nil && name != "Message":
		return parse.Done
	case u.d == nil:
		test, message, _ := strings.Cut(value, ": ")
		u.d = u.s.Add(parse.Draft{Event: store.Event{Tool: "fpcunit", Test: test, Message: message,
			Category: store.CategoryTest, LogLine: l.N - 1}})
	case name == "Exception message":
		u.d.Message = value
	case strings.HasPrefix(text, "at "):
		pascalFrame(u.d, text)
	}
	u.d.Extend(l)
	return parse.Take
}
