package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// maxBunAccount is the max number of lines between an error and the name of its test.
const maxBunAccount = 300

// bunAccount reads an error that was printed while tests ran. A line below it shows whether the error belongs to a
// failed test, to a passed test that only printed it, or to a file that could not be loaded.
type bunAccount struct {
	bun      *bun
	s        *parse.Scan
	from, to int
	msg      parse.Message
	trace    jsTrace
}

func newBunMessage(head string) parse.Message {
	m := parse.Message{}
	m.Add(strings.TrimPrefix(head, "error: "))
	return m
}

func (a *bunAccount) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	if r, ok := bunMark(text); ok && l.Indent() == 0 {
		if r.Outcome == store.TestFailed {
			d := a.draft(store.CategoryTest)
			d.Test, d.LogLineEnd = r.Name, l.N
			a.s.Add(d)
		}
		return parse.Last
	}
	switch _, isFile := bunFile(text); {
	case l.N-a.from > maxBunAccount:
		return parse.Done
	case isFile || isBunCount(text):
		a.load()
		return parse.Done
	case a.bun.loading && strings.HasPrefix(text, "-----"):
		if a.msg.Empty() {
			return parse.Take
		}
		a.load()
		a.bun.loading = false
		return parse.Last
	case a.bun.said.again(l) || strings.HasPrefix(text, "::error "):
		return parse.Take
	case text == "":
		a.msg.Add("")
		return parse.Take
	case a.trace.add(text):
		a.msg.End()
		a.to = l.N
		return parse.Take
	}
	return a.words(l, text)
}

// words reads a line of the message, or the first line of another error.
func (a *bunAccount) words(l parse.Line, text string) parse.Verdict {
	if message, ok := bunError(l.Text); ok && l.Indent() == 0 {
		if a.bun.loading {
			a.load()
		}
		a.from, a.to, a.msg, a.trace = l.N, l.N, newBunMessage(message), jsTrace{}
		return parse.Take
	}
	switch {
	case isCodeFrame(text) || parse.IsCaret(text):
		a.msg.End()
	case !a.trace.seen && hasAnyPrefix(text, "Expected", "Received"):
		a.msg.More(text)
		a.to = l.N
	case !a.trace.seen:
		a.msg.Add(text)
		a.to = l.N
	}
	return parse.Take
}

// load adds the error for a file that could not be loaded.
func (a *bunAccount) load() {
	d := a.draft(store.CategoryRuntime)
	if !a.bun.loading {
		d.Weight = parse.Likely
	}
	a.s.Add(d)
}

func (a *bunAccount) draft(c store.Category) parse.Draft {
	d := parse.Draft{Event: store.Event{File: a.bun.file, Category: c, Message: a.msg.String(), LogLine: a.from,
		LogLineEnd: a.to}}
	a.trace.tell(&d)
	a.bun.said.add(d.Message)
	return d
}

// isBunCount reports whether a line is one of the counts at the end of the output: "2 pass" or "1 fail".
func isBunCount(text string) bool {
	_, n := parse.Number(text)
	return n > 0 && (text[n:] == " pass" || text[n:] == " fail")
}
