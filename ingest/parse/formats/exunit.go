package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// exunitFormat reads failures of ExUnit: "  1) test name (Module)" and the indented details below.
var exunitFormat = parse.Format{
	Name:     "exunit",
	About:    "ExUnit of Elixir: failed tests, doctests, properties and setups",
	Triggers: []string{") test ", ") doctest ", ") property ", ": failure on setup_all callback"},
	Match:    matchExUnit,
}

func matchExUnit(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	_, name, ok := parse.CutNumber(text)
	if !ok || l.Indent() > 4 {
		return false
	}
	test, ok := exunitTest(name)
	if !ok {
		return false
	}
	b := &exunitBlock{msg: parse.Message{Max: 3},
		d: s.Add(parse.Draft{Event: store.Event{Test: test, Message: name, Category: store.CategoryTest}})}
	s.Block(b.line)
	return true
}

// exunitTest reads "test name (Some.Module)", and "Some.Module: failure on setup_all callback, …".
func exunitTest(name string) (test string, ok bool) {
	if module, _, found := strings.Cut(name, ": failure on setup_all callback"); found {
		return module, true
	}
	i := strings.LastIndex(name, " (")
	if i < 0 || !strings.HasSuffix(name, ")") || name[i+2] < 'A' || name[i+2] > 'Z' {
		return "", false
	}
	return name[i+2:len(name)-1] + "." + name[:i], true
}

// exunitBlock reads the details of a failure: the place of the test, the message, the code, and the stack trace. The
// stack trace has the more precise line.
type exunitBlock struct {
	d     *parse.Draft
	msg   parse.Message
	trace bool
	exact bool // the draft has the place of the assertion
	blank bool
}

func (b *exunitBlock) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	if text == "" {
		b.msg.Break()
		b.blank = true
		return parse.Take
	}
	if l.Indent() < 5 {
		return parse.Done
	}
	b.d.Extend(l)
	p, rest, placed := parse.PlaceAt(text)
	switch {
	case b.d.File == "" && b.msg.Empty() && placed && rest == "":
		b.d.At(p.File, p.Line, 0)
	case hasAnyPrefix(text, "stacktrace:", "The following output was logged:"):
		b.trace = true
		b.msg.End()
	case hasAnyPrefix(text, "code:", "left:", "right:", "arguments:", "doctest:", "mailbox:"):
		b.msg.End()
	case b.trace:
		if placed && !b.exact && (b.d.File == "" || b.d.File == p.File) {
			b.d.File, b.d.Line, b.exact = p.File, p.Line, true
		}
	default:
		b.msg.Tell(b.d, strings.TrimPrefix(text, "** "))
	}
	return parse.Take
}
