package formats

import (
	"slices"
	"strings"
	"time"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// goTrace reads the stack traces of a Go program that crashed.
type goTrace struct {
	tests   *goTests
	start   parse.Line
	message string
	test    string // the running test, as the timeout or the trace names it
	draft   *parse.Draft
	newest  *parse.Draft // the test whose marker is directly before the panic
	fn      string       // function of the next frame
	timeout bool
	longest float64     // duration of that test at the timeout, in seconds
	running []string    // tests that were running at a timeout
	nearest parse.Place // place in the project's own code, in the current goroutine
	ofTest  bool        // the current goroutine runs the test
	placed  bool
	blank   bool
	lines   int
}

// died opens a block at "panic: …" or "fatal error: …". Other programs print such lines, too. Therefore the event is
// added only when a trace follows.
func (g *goTests) died(s *parse.Scan, l parse.Line, text string) {
	t := &goTrace{tests: g, start: l, message: text}
	for _, end := range [...]string{" [recovered, repanicked]", " [recovered]"} {
		t.message = strings.TrimSuffix(t.message, end)
	}
	t.timeout = strings.HasPrefix(text, "panic: test timed out after ")
	if d := g.newest; d != nil && d.LogLineEnd >= l.N-2 && strings.HasSuffix(text, "]") && t.message != text {
		t.newest = g.panicked(d) // a recovered panic is printed below the marker of its test
	}
	s.Block(func(l parse.Line) parse.Verdict { return t.line(s, l) })
}

// panicked returns the failed test to which a panic belongs. The panic is below the marker of test. If test failed only
// because of a subtest, panicked returns the subtest, unless the subtest has a message of its own.
func (g *goTests) panicked(test *parse.Draft) *parse.Draft {
	if !test.Merged {
		return test
	}
	if sub := g.leaf; sub != nil && strings.HasPrefix(sub.Test, test.Test+"/") && sub.Message == "test failed" {
		return sub
	}
	test.Merged = false
	return test
}

const maxPanicHead = 40 // max lines between "panic:" and the trace

func (t *goTrace) line(s *parse.Scan, l parse.Line) parse.Verdict {
	t.lines++
	text := l.Text
	if t.draft == nil {
		return t.head(s, l)
	}
	switch {
	case strings.TrimSpace(text) == "":
		t.blank = true
		return parse.Take
	case strings.HasPrefix(text, "goroutine "), strings.HasPrefix(text, "runtime stack:"),
		strings.HasPrefix(text, "created by "):
		t.fn = ""
		if !strings.HasPrefix(text, "created by ") {
			t.nearest, t.ofTest = parse.Place{}, false
		}
	case strings.HasPrefix(text, "\t"), strings.HasPrefix(text, "      /"):
		t.frame(l)
	case strings.HasPrefix(text, "..."), strings.HasPrefix(text, "[signal "), strings.HasPrefix(text, "[originating "):
	case isRegister(text):
	case !t.blank && strings.HasSuffix(text, ")") && !strings.HasPrefix(text, "--- "):
		t.function(text)
	default:
		return parse.Done
	}
	t.blank = false
	t.draft.Extend(l)
	return parse.Take
}

// head reads the lines between the panic and its trace.
func (t *goTrace) head(s *parse.Scan, l parse.Line) parse.Verdict {
	text := l.Trim()
	switch {
	case strings.HasPrefix(l.Text, "goroutine ") && strings.HasSuffix(text, ":"), l.Text == "runtime stack:":
		t.confirm(s, l)
		return parse.Take
	case t.lines > maxPanicHead || isGoTestLine(text) && !strings.HasPrefix(text, "panic: "):
		return parse.Done
	case strings.HasSuffix(text, "s)") && strings.Contains(text, " (") && width(l.Text) >= 8: // running tests:
		t.ran(text)
	case text != "" && t.lines <= 3 && (l.Indent() == 0 || l.Text[0] == '\t') && !strings.HasPrefix(text, "panic: ") &&
		!strings.HasPrefix(text, "running tests:") && !strings.HasPrefix(text, "[signal "):
		t.message += "\n" + text
	}
	return parse.Pass
}

// ran reads a test that was still running at a timeout: "TestA/sub (1m2s)". The test that has run longest counts as
// the test that hangs. A subtest counts instead of its parent.
func (t *goTrace) ran(text string) {
	name, rest, _ := strings.Cut(text, " (")
	d, err := time.ParseDuration(strings.TrimSuffix(rest, ")"))
	if err != nil {
		return
	}
	if t.test == "" || strings.HasPrefix(name, t.test+"/") || d.Seconds() > t.longest {
		t.test, t.longest = name, d.Seconds()
	}
	t.running = slices.DeleteFunc(t.running, func(parent string) bool { return strings.HasPrefix(name, parent+"/") })
	if len(t.running) < maxRunning {
		t.running = append(t.running, name)
	}
}

const maxRunning = 10 // max tests that the message of a timeout names

// confirm adds the event, or finds the failed test that the trace explains.
func (t *goTrace) confirm(s *parse.Scan, l parse.Line) {
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
		d = s.Add(parse.Draft{Event: store.Event{Message: t.message, Tool: "go", Category: store.CategoryRuntime,
			LogLine: t.start.N}})
		g.keep(d)
	}
	d.Message = t.message
	if len(t.running) > 1 {
		d.Message += "\nrunning tests: " + strings.Join(t.running, ", ")
	}
	d.File, d.Line, d.Column = "", 0, 0
	d.Extend(l)
	t.draft = d
}

// function records the function of the next frame. If the draft has no test, the first test function in the trace
// becomes its test.
func (t *goTrace) function(text string) {
	t.fn = text
	name := goTestFunc(text)
	if name == "" {
		return
	}
	root, _, _ := strings.Cut(t.test, "/")
	t.ofTest = t.ofTest || name == root
	if t.draft.Test != "" {
		return
	}
	t.draft.Test, t.draft.Tool, t.draft.Category = name, "gotest", store.CategoryTest
	if failed := t.tests.failed[name]; failed != nil { // the trace belongs to the same failure
		failed.Merged = true
	}
	t.tests.failed[name] = t.draft
}

// frame reads "\t/path/x.go:12 +0x1d". The place is the first frame outside of Go and of dependencies. After a timeout,
// it is the first such frame of the goroutine that runs the test.
func (t *goTrace) frame(l parse.Line) {
	if t.placed || t.fn == "" || strings.Contains(t.fn, ".TestMain(") {
		return
	}
	p, ok := goFrame(l)
	if !ok {
		return
	}
	if t.nearest.File == "" {
		t.nearest = p
	}
	if t.draft.File == "" || t.ofTest {
		t.draft.File, t.draft.Line = t.nearest.File, t.nearest.Line
	}
	t.placed = !t.timeout || t.ofTest
}

// goFrame reads a frame and returns its place, if the place is in the project's own code.
func goFrame(l parse.Line) (parse.Place, bool) {
	text, _, _ := strings.Cut(l.Trim(), " ")
	i := strings.LastIndex(text, ".go:")
	if i < 0 {
		return parse.Place{}, false
	}
	line, n := parse.Number(text[i+4:])
	p := parse.Place{File: text[:i+3], Line: line}
	if n == 0 || p.File == "_testmain.go" || !parse.IsAbs(p.File) {
		return parse.Place{}, false
	}
	for _, w := range [...]string{"/pkg/mod/", "/vendor/", "/src/runtime/", "/src/testing/", "/src/reflect/",
		"/src/sync/", "/src/time/", "/src/internal/", "/usr/local/go/src/", "/libexec/src/", "/usr/lib/go"} {
		if strings.Contains(p.File, w) {
			return parse.Place{}, false
		}
	}
	return p, !strings.Contains(p.File, "hostedtoolcache")
}

// goTestFunc returns TestA for "pkg.TestA.func1(0x…)". It returns "" for a function that is not a test.
func goTestFunc(text string) string {
	text = text[strings.LastIndexByte(text[:strings.IndexByte(text+"(", '(')], '/')+1:]
	for part := range strings.SplitSeq(text, ".") {
		name, _, _ := strings.Cut(part, "(")
		for _, prefix := range [...]string{"Test", "Benchmark", "Example", "Fuzz"} {
			if rest, ok := strings.CutPrefix(name, prefix); ok &&
				(rest == "" && prefix == "Example" || rest != "" && !parse.IsLower(rest[0])) && name != "TestMain" {
				return name
			}
		}
	}
	return ""
}

// isRegister reports whether a line is part of a register dump: "rax    0x1".
func isRegister(text string) bool {
	f := strings.Fields(text)
	return len(f) == 2 && len(f[0]) <= 6 && strings.HasPrefix(f[1], "0x")
}

// race reads a report of the race detector, up to the closing line.
func (g *goTests) race(s *parse.Scan) {
	d := s.Add(parse.Draft{Event: store.Event{Message: "data race", Tool: "gotest", Category: store.CategoryRuntime}})
	g.keep(d)
	if len(g.races) < maxGoTests {
		g.races = append(g.races, d)
	}
	access := ""
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if strings.HasPrefix(text, "==========") {
			return parse.Last
		}
		if isGoTestLine(text) && width(l.Text) == 0 {
			return parse.Done
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
		return parse.Take
	})
}

// claimRaces attaches the races that no earlier test has claimed to a failed test. These races made the test fail.
func (g *goTests) claimRaces(test *parse.Draft) {
	for _, d := range g.races {
		d.Test, d.Category = test.Test, store.CategoryTest
		d.Extend(parse.Line{N: test.LogLineEnd + 1})
	}
	if len(g.races) > 0 && test.File == "" {
		test.Merged = true
	}
	g.races = nil
}
