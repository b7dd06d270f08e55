package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// luaunitFormat reads the lists of failed tests at the end of a run of LuaUnit.
var luaunitFormat = parse.Format{
	Name:     "luaunit",
	About:    "LuaUnit: Lua tests",
	Starts:   []string{"Tests with errors:", "Started on "},
	Triggers: []string{" ... FAIL", " ... ERROR"},
	New:      func() parse.Matcher { return new(luaunit).match },
}

// luaunit knows whether a run with -v has begun.
type luaunit struct{ verbose bool }

func (u *luaunit) match(s *parse.Scan, l parse.Line) bool {
	switch {
	case l.Text == "Tests with errors:":
		u.verbose = false
		s.Block(luaunitList(s))
		return true
	case strings.HasPrefix(l.Text, "Started on "):
		u.verbose = true
		return false
	}
	return u.verbose && l.Indent() == 4 && hasAnySuffix(l.Text, " ... FAIL", " ... ERROR") // the list repeats it
}

// luaunitBlock reads a list: "1) TestShop.testSum", the message with its place, and a stack trace.
type luaunitBlock struct {
	s       *parse.Scan
	d       *parse.Draft
	message parse.Message
	traced  bool // the stack trace of the test has begun
}

// luaunitList returns the block below the heading of a list. The reader of Surefire calls it, too, because Surefire
// also prints the heading "Failed tests:".
func luaunitList(s *parse.Scan) func(parse.Line) parse.Verdict { return (&luaunitBlock{s: s}).line }

// luaunitLine is the line below "Failed tests:".
const luaunitLine = "-------------"

func (u *luaunitBlock) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	if strings.HasPrefix(text, luaunitLine) || text == "Failed tests:" {
		u.d = nil
		return parse.Take
	}
	if n, length := parse.Number(text); n > 0 && l.Indent() == 0 {
		if name, ok := strings.CutPrefix(text[length:], ") "); ok {
			u.d = u.s.Add(parse.Draft{Event: store.Event{Tool: "luaunit", Test: name, Message: testFailed,
				Category: store.CategoryTest}})
			u.message, u.traced = parse.Message{}, false
			return parse.Take
		}
	}
	switch {
	case u.d == nil || strings.HasPrefix(text, "Ran "):
		return parse.Done
	case text == "stack traceback:":
		u.traced = true
	case text != "" && !u.traced:
		if p, message, ok := rubyPlace(text); ok && u.message.Empty() {
			u.d.At(p.File, p.Line, 0)
			text = message
		}
		u.message.Tell(u.d, text)
	case u.traced && text != "" && l.Indent() == 0:
		return parse.Done
	}
	if text != "" {
		u.d.Extend(l)
	}
	return parse.Take
}
