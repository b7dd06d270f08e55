package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// goTrace reads the stack traces of a Go program that died.
type goTrace struct {
	tests   *goTests
	start   Line
	message string
	test    string // that was running, as the timeout or the trace says
	draft   *Draft
	newest  *Draft // test whose marker came right before
	fn      string // function of the next place
	placed  bool
	blank   bool
	lines   int
}

// died opens a block at "panic: …" or "fatal error: …". Only the trace that
// follows makes it an event: others print such lines too.
func (g *goTests) died(s *Scan, l Line, text string) {
	t := &goTrace{tests: g, start: l, message: text}
	for _, end := range [...]string{" [recovered, repanicked]", " [recovered]"} {
		t.message = strings.TrimSuffix(t.message, end)
	}
	if d := g.newest; d != nil && d.LogLineEnd >= l.N-2 {
		t.newest = g.panicked(d)
	}
	s.Block(func(l Line) Verdict { return t.line(s, l) })
}

// panicked returns the test that a panic after the marker of test belongs to:
// the subtest that failed it, where that did not say why it failed.
func (g *goTests) panicked(test *Draft) *Draft {
	if !test.merged {
		return test
	}
	if sub := g.leaf; sub != nil && strings.HasPrefix(sub.Test, test.Test+"/") && sub.Message == "test failed" {
		return sub
	}
	test.merged = false
	return test
}

const maxPanicHead = 40 // lines between "panic:" and its trace

func (t *goTrace) line(s *Scan, l Line) Verdict {
	t.lines++
	text := l.Text
	if t.draft == nil {
		return t.head(s, l)
	}
	switch {
	case strings.TrimSpace(text) == "":
		t.blank = true
		return Take
	case strings.HasPrefix(text, "goroutine "), strings.HasPrefix(text, "runtime stack:"), strings.HasPrefix(text, "created by "):
		t.fn = ""
	case strings.HasPrefix(text, "\t"), strings.HasPrefix(text, "      /"):
		t.frame(l)
	case strings.HasPrefix(text, "..."), strings.HasPrefix(text, "[signal "), strings.HasPrefix(text, "[originating "):
	case isRegister(text):
	case !t.blank && strings.HasSuffix(text, ")") && !strings.HasPrefix(text, "--- "):
		t.function(text)
	default:
		return Done
	}
	t.blank = false
	t.draft.Extend(l)
	return Take
}

// head waits for the trace.
func (t *goTrace) head(s *Scan, l Line) Verdict {
	text := l.Trim()
	switch {
	case strings.HasPrefix(l.Text, "goroutine ") && strings.HasSuffix(text, ":"), l.Text == "runtime stack:":
		t.confirm(s, l)
		return Take
	case t.lines > maxPanicHead || isGoTestLine(text) && !strings.HasPrefix(text, "panic: "):
		return Done
	case strings.HasSuffix(text, "s)") && strings.Contains(text, " (") && width(l.Text) >= 8: // running tests:
		name, _, _ := strings.Cut(text, " (")
		if t.test == "" || strings.HasPrefix(name, t.test+"/") {
			t.test = name
		}
	case text != "" && t.lines <= 3 && (l.Indent() == 0 || l.Text[0] == '\t') && !strings.HasPrefix(text, "panic: ") && !strings.HasPrefix(text, "running tests:") && !strings.HasPrefix(text, "[signal "):
		t.message += "\n" + text
	}
	return Pass
}

// confirm makes the event, or finds the test that it explains.
func (t *goTrace) confirm(s *Scan, l Line) {
	g := t.tests
	d := t.newest
	if d == nil {
		if t.test == "" {
			t.test = g.current
		}
		if t.test != "" {
			d = g.fail(s, l, t.test)
			d.LogLine = min(d.LogLine, t.start.N)
		}
	}
	if d == nil {
		d = s.Add(Draft{Event: store.Event{Message: t.message, Tool: "go", Category: store.CategoryRuntime, LogLine: t.start.N}})
		g.keep(d)
	}
	d.Message = t.message
	d.File, d.Line, d.Column = "", 0, 0
	d.Extend(l)
	t.draft = d
}

// function notes whose place comes next, and the test when a test function
// shows which it is.
func (t *goTrace) function(text string) {
	t.fn = text
	if t.draft.Test == "" {
		if name := goTestFunc(text); name != "" && t.tests.failed[name] == nil {
			t.draft.Test, t.draft.Tool, t.draft.Category = name, "gotest", store.CategoryTest
			t.tests.failed[name] = t.draft
		}
	}
}

// frame reads "\t/path/x.go:12 +0x1d": the first that is no part of Go or of
// a dependency is the place.
func (t *goTrace) frame(l Line) {
	if t.placed || t.fn == "" {
		return
	}
	p, ok := goFrame(l)
	if !ok {
		return
	}
	t.draft.File, t.draft.Line = p.File, p.Line
	t.placed = true
}

// goFrame reads the place of a frame in the project's own code.
func goFrame(l Line) (place, bool) {
	text, _, _ := strings.Cut(l.Trim(), " ")
	i := strings.LastIndex(text, ".go:")
	if i < 0 {
		return place{}, false
	}
	line, n := number(text[i+4:])
	p := place{File: text[:i+3], Line: line}
	if n == 0 || p.File == "_testmain.go" || !isAbs(p.File) {
		return place{}, false
	}
	for _, w := range [...]string{"/pkg/mod/", "/vendor/", "/src/runtime/", "/src/testing/", "/src/reflect/", "/src/sync/", "/src/time/", "/src/internal/", "/usr/local/go/src/", "/libexec/src/", "/usr/lib/go"} {
		if strings.Contains(p.File, w) {
			return place{}, false
		}
	}
	return p, !strings.Contains(p.File, "hostedtoolcache")
}

// goTestFunc returns TestA of "pkg.TestA.func1(0x…)", "" for another function.
func goTestFunc(text string) string {
	text = text[strings.LastIndexByte(text[:strings.IndexByte(text+"(", '(')], '/')+1:]
	for part := range strings.SplitSeq(text, ".") {
		name, _, _ := strings.Cut(part, "(")
		for _, prefix := range [...]string{"Test", "Benchmark", "Example", "Fuzz"} {
			if rest, ok := strings.CutPrefix(name, prefix); ok && (rest == "" && prefix == "Example" || rest != "" && !isLower(rest[0])) {
				return name
			}
		}
	}
	return ""
}

// isRegister reads a line of the register dump: "rax    0x1".
func isRegister(text string) bool {
	f := strings.Fields(text)
	return len(f) == 2 && len(f[0]) <= 6 && strings.HasPrefix(f[1], "0x")
}

// race reads a report of the race detector, up to its closing line.
func (g *goTests) race(s *Scan) {
	d := s.Add(Draft{Event: store.Event{Message: "data race", Tool: "gotest", Category: store.CategoryRuntime}})
	g.keep(d)
	if len(g.races) < maxGoTests {
		g.races = append(g.races, d)
	}
	access := ""
	s.Block(func(l Line) Verdict {
		text := l.Trim()
		if strings.HasPrefix(text, "==========") {
			return Last
		}
		if isGoTestLine(text) && width(l.Text) == 0 {
			return Done
		}
		d.Extend(l)
		switch i := strings.Index(text, " at 0x"); {
		case i > 0 && width(l.Text) == 0:
			access = text[:i]
		case access != "" && strings.HasSuffix(text, ")"):
			if len(d.Message) < 400 {
				d.Message += ": " + strings.ToLower(access) + " in " + text
			}
			access = ""
		}
		if p, ok := goFrame(l); ok {
			d.At(p.File, p.Line, 0)
		}
		if name := goTestFunc(text); d.Test == "" && name != "" && !strings.Contains(text, " ") {
			d.Test, d.Category = name, store.CategoryTest
		}
		return Take
	})
}

// claimRaces gives the races since the last marker to the test that failed
// by them: they are its failure.
func (g *goTests) claimRaces(test *Draft) {
	for _, d := range g.races {
		d.Test, d.Category = test.Test, store.CategoryTest
		d.Extend(Line{N: test.LogLineEnd + 1})
	}
	if len(g.races) > 0 && test.File == "" {
		test.merged = true
	}
	g.races = nil
}
