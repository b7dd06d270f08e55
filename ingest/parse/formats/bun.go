package formats

import (
	"strings"
	"time"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// bunFormat reads Bun: its tests, bundler and package manager, and programs that die when Bun runs them. The
// details of a test's error are above the line that names the failed test.
var bunFormat = parse.Format{
	Name:     "bun",
	About:    "Bun: bun test, run, build and install",
	Triggers: []string{"test.js:", "test.ts:", "test.jsx:", "test.tsx:", "spec.js:", "spec.ts:", "spec.jsx:", "spec.tsx:"},
	Starts: []string{"bun test v", "error: ", "AggregateError: ", "AssertionError: ", "Error: ", "EvalError: ",
		"RangeError: ", "ReferenceError: ", "SyntaxError: ", "TypeError: ", "(pass) ", "(fail) ", "(skip) ", "(todo) ",
		"✓ ", "✗ ", "» ", "✎ ", "    at ", "      at ", "# Unhandled error between tests", "Ran ", "Bun v",
		bunTimeout},
	Lines: parse.Lines{
		{Text: `error: «script "{*}" {:exited with code|was terminated by signal} {_}»`, Weight: parse.Repeat,
			Category: store.CategoryBuild},
		{Text: `error: «Script not found "{*}"»`, Category: store.CategoryBuild},
		{Text: `error: «Module not found "{path}"»`, If: isNoURL, Category: store.CategoryBuild},
		{Text: "error: «{_} downloading {:package manifest|tarball} {*}»", Category: store.CategoryBuild},
		{Text: "error: «{_}@{_} failed to resolve»", Category: store.CategoryBuild},
		{Text: "error: «{:GET|PUT|POST} http{*} - {#}»", Category: store.CategoryBuild},
		{Text: "error: «lockfile had changes, but lockfile is frozen»", Category: store.CategoryBuild},
	},
	New:      func() parse.Matcher { return (&bun{said: said{}}).match },
	Outcomes: func() func(*parse.Scan, parse.Line) { return new(bunOutcomes).line },
}

// bunTimeout is the beginning of the annotation for a test that took too long.
const bunTimeout = "::error title=error: Test "

// isNoURL reports whether the name of a missing module, which the pattern has put into d.File, is not a URL. In a
// message of Bun it is none, and in one of Deno it is one. isNoURL clears d.File, because a module's name is no file.
func isNoURL(d *parse.Draft) bool {
	ok := !strings.HasPrefix(d.File, "file:") && !strings.HasPrefix(d.File, "http")
	d.File = ""
	return ok
}

// bun keeps the file whose tests run, and the error whose stack may follow.
type bun struct {
	testing bool
	file    string
	loading bool // an error between tests was seen
	head    string
	headAt  int
	said    said
	d       *parse.Draft // newest error of a program
}

func (b *bun) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case strings.HasPrefix(text, "bun test v"):
		b.testing, b.file = true, ""
		return true
	case strings.HasPrefix(text, "Bun v"):
		if b.d == nil || l.N-b.d.LogLineEnd > 3 {
			return false
		}
		b.d.Weight, b.d = parse.Certain, nil // the program died because of the error
		return true
	case strings.HasPrefix(text, "at "):
		return b.frame(s, l, text)
	case l.Indent() > 0:
		return false
	case !b.testing:
		if message, ok := bunError(l.Text); ok {
			b.head, b.headAt = message, l.N
		}
		return false
	case text == "# Unhandled error between tests":
		b.loading = true
		return true
	case b.testing && strings.HasPrefix(text, bunTimeout):
		return true // the line of the failed test follows
	case strings.HasPrefix(text, "Ran ") && strings.Contains(text, " across "):
		b.testing = false
		return true
	}
	if file, ok := bunFile(text); ok {
		b.file = file
		return true
	}
	if r, ok := bunMark(text); ok {
		if r.Outcome == store.TestFailed {
			b.failed(s, r.Name)
		}
		return true
	}
	message, ok := bunError(l.Text)
	if ok {
		s.Block((&bunAccount{bun: b, s: s, from: l.N, to: l.N, msg: newBunMessage(message)}).line)
	}
	return ok
}

// failed adds a failed test without details, such as a test that took too long.
func (b *bun) failed(s *parse.Scan, name string) {
	d := s.Add(parse.Draft{Event: store.Event{Test: name, File: b.file, Message: "test failed",
		Category: store.CategoryTest}})
	s.Block(parse.Below{Starts: []string{"^ this test "}, Lines: 1,
		Each: func(text string) { d.Message = strings.TrimPrefix(text, "^ ") }}.Block(d))
}

// frame reads the first stack frame below the error of a program. If the program could not be compiled, frame reads the
// place of the error in the source instead, which is indented less than a stack frame.
func (b *bun) frame(s *parse.Scan, l parse.Line, text string) bool {
	source := l.Indent() == 4 && strings.HasPrefix(b.head, "error: ") && strings.HasPrefix(text, "at /")
	if b.headAt == 0 || l.N-b.headAt > maxNodeMessage || !source && l.Indent() != 6 {
		return false
	}
	p, ok := jsFrame(text)
	if !ok {
		return false
	}
	d := parse.Draft{Event: store.Event{Message: strings.TrimPrefix(b.head, "error: "), Category: store.CategoryRuntime,
		LogLine: b.headAt, LogLineEnd: l.N}, Weight: parse.Likely}
	b.head, b.headAt = "", 0
	if source {
		d.Weight, d.Category = parse.Certain, store.CategoryCompile
		d.At(p.File, p.Line, p.Column)
		s.Add(d)
		return true
	}
	trace := jsTrace{}
	trace.add(text)
	b.d = s.Add(d)
	trace.tell(b.d)
	s.Block(parse.Below{Indent: 6, Is: func(text string) bool { return trace.add(text) },
		Each: func(string) { trace.tell(b.d) }}.Block(b.d))
	return true
}

// bunError reads "error: message" and "TypeError: message" at the start of a line.
func bunError(text string) (string, bool) {
	if strings.HasPrefix(text, "error: ") {
		return text, true
	}
	return nodeError(text)
}

// bunFile reads "src/a.test.ts:". On GitHub this line is a group of the log.
func bunFile(text string) (string, bool) {
	file, ok := strings.CutSuffix(strings.TrimPrefix(text, "::group::"), ":")
	return file, ok && isJSFile(file) && parse.IsFileName(file) && strings.IndexByte(file, ' ') < 0
}

var bunMarks = [...]struct {
	word    string
	outcome store.TestOutcome
}{
	{"(pass) ", store.TestPassed}, {"(fail) ", store.TestFailed}, {"(skip) ", store.TestSkipped},
	{"(todo) ", store.TestSkipped}, {"✓ ", store.TestPassed}, {"✗ ", store.TestFailed}, {"» ", store.TestSkipped},
	{"✎ ", store.TestSkipped},
}

// bunMark reads "(fail) math > adds [0.30ms]". With colour, the mark is a symbol.
func bunMark(text string) (r parse.Result, ok bool) {
	for _, m := range bunMarks {
		if rest, found := strings.CutPrefix(text, m.word); found {
			r.Name, r.Outcome = rest, m.outcome
			if i := strings.LastIndex(rest, " ["); i > 0 && strings.HasSuffix(rest, "s]") && parse.IsDigit(rest[i+2]) {
				r.Name = rest[:i]
				r.Duration, _ = time.ParseDuration(rest[i+2 : len(rest)-1])
			}
			return r, r.Name != ""
		}
	}
	return r, false
}

// bunOutcomes reads the outcome of each test.
type bunOutcomes struct {
	testing bool
	file    string
}

func (b *bunOutcomes) line(s *parse.Scan, l parse.Line) {
	text := l.Trim()
	if strings.HasPrefix(text, "bun test v") {
		b.testing = true
	}
	if !b.testing || l.Indent() > 0 {
		return
	}
	if file, ok := bunFile(text); ok {
		b.file = file
	} else if r, ok := bunMark(text); ok {
		r.File = b.file
		s.Test(r)
	}
}
