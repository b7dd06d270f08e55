package formats

import (
	"path"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// rusttestFormat reads cargo test, cargo nextest, and panics of any program.
var rusttestFormat = parse.Format{
	Name:  "cargo-test",
	About: "cargo test and nextest: failed tests, doc tests; panics of Rust programs",
	Triggers: []string{" ... FAILED", "' panicked at ", ") panicked at ", " has overflowed its stack", " SIGABRT",
		" SIGSEGV", "process abort signal"},
	Starts: []string{
		"running ", "---- ", "failures:", "     Running ", "   Doc-tests ", "        FAIL [", "     Summary [",
		"  TRY ", "     TIMEOUT [", "     SIGABRT [", "     SIGSEGV [",
	},
	New: func() parse.Matcher { return (&rustTests{}).match },
}

// rustTests follows the test programs. Two programs may have tests with the same name.
type rustTests struct {
	step    int
	program int
	dir     string // directory that file names are relative to, "" for the command's
	source  string // main file of the test program, if its package is in another directory than the command's
	nextest bool
	inside  bool                    // tests are running
	seen    bool                    // a test program ran in this step
	ended   bool                    // nextest is repeating the failures
	panics  map[string]*parse.Draft // by test: messages of threads that panicked, which are not events yet
}

const maxPanics = 1000

func (r *rustTests) match(s *parse.Scan, l parse.Line) bool {
	if r.step != s.Step() {
		r.step, r.inside, r.nextest, r.seen, r.ended = s.Step(), false, false, false, false
		r.panics = map[string]*parse.Draft{}
		r.dir, r.source = s.CargoRoot(), ""
		r.program++
	}
	text := l.Text
	switch {
	case strings.HasPrefix(text, "running ") && (strings.HasSuffix(text, " tests") || strings.HasSuffix(text, " test")):
		if !r.nextest {
			r.program++
			clear(r.panics)
		}
		r.inside, r.seen = true, true
		return true
	case strings.HasPrefix(text, "     Running "), strings.HasPrefix(text, "   Doc-tests "):
		r.inside, r.source = false, mainFile(s, text)
		return true
	case strings.HasPrefix(text, "---- "):
		return r.detail(s, text)
	case text == "failures:" && r.seen:
		r.inside = false
		r.list(s)
		return true
	case strings.Contains(text, " panicked at "):
		return !strings.HasPrefix(text, "{") && r.panicked(s, l, text) // test-json reads JSON
	case strings.HasSuffix(text, " has overflowed its stack"):
		return r.overflow(s, text)
	case strings.HasSuffix(text, " ... FAILED"):
		return r.mark(s, text)
	case strings.Contains(text, "] "):
		return r.nextestMark(s, text)
	}
	return false
}

func (r *rustTests) key(name string) string {
	if r.nextest {
		return name
	}
	return strconv.Itoa(r.program) + " " + name
}

func (r *rustTests) test(name string, rank parse.Rank) parse.Draft {
	d := parse.Draft{Key: r.key(name), Rank: rank,
		Event: store.Event{Message: "test failed", Test: name, Category: store.CategoryTest}}
	if file, rest, ok := strings.Cut(name, " - "); ok && strings.HasSuffix(file, ".rs") { // a doc test
		d.File = file
		if _, line, ok := strings.Cut(rest, "(line "); ok {
			d.Line, _ = parse.Number(line)
		}
	} else {
		d.File, d.Dir = r.source, r.dir
	}
	return d
}

// mainFile reads "     Running unittests src/lib.rs (target/debug/deps/shop_core-0123456789abcdef)". A test that
// returns an error has no other place, and the packages of a workspace often have tests with the same name.
func mainFile(s *parse.Scan, text string) string {
	file, program, ok := strings.Cut(strings.TrimPrefix(text, "     Running unittests "), " (")
	if program = path.Base(parse.Slash(strings.TrimSuffix(program, ")"))); !ok || file == text {
		return ""
	}
	crate := program[:max(0, strings.LastIndexByte(program, '-'))]
	return s.CrateFile(crate, parse.Slash(file))
}

// mark reads "test tests::a ... FAILED" and "test tests::a - should panic ... FAILED".
func (r *rustTests) mark(s *parse.Scan, text string) bool {
	name, ok := strings.CutPrefix(strings.TrimSuffix(text, " ... FAILED"), "test ")
	if !ok {
		return false
	}
	name = rustTestName(name)
	if name == "" {
		return false
	}
	s.Add(r.failed(s, name))
	return true
}

// failed returns the draft of a test that is known only by its name. It adds the panic if the panic was not captured.
func (r *rustTests) failed(s *parse.Scan, name string) parse.Draft {
	d := r.test(name, parse.Mark)
	if p := r.panics[name]; p != nil { // the output of the test was not captured
		delete(r.panics, name)
		d.Rank, d.Message, d.LogLine = parse.Summary, p.Message, p.LogLine
		d.File, d.Line, d.Column = p.File, p.Line, p.Column
		d.LogLineEnd = s.LineNumber()
	}
	return d
}

// overflow reads "thread 'tests::deep' (12) has overflowed its stack". The program ends without a result of the test.
func (r *rustTests) overflow(s *parse.Scan, text string) bool {
	_, rest, _ := strings.Cut(text, "thread '")
	thread, _, ok := strings.Cut(rest, "'")
	if !ok {
		return false
	}
	d := parse.Draft{Weight: parse.Died,
		Event: store.Event{Message: "the thread has overflowed its stack", Tool: "rust", Category: store.CategoryRuntime}}
	if r.inside && thread != "main" {
		d = r.test(thread, parse.Detail)
		d.Message = "the test has overflowed its stack"
	}
	s.Add(d)
	return true
}

// list reads the names of failed tests below the last "failures:". These names are complete, even if output of tests is
// mixed into the lines "test NAME ... FAILED".
func (r *rustTests) list(s *parse.Scan) {
	s.Block(parse.Rows(func(l parse.Line) bool {
		name, ok := strings.CutPrefix(l.Text, "    ")
		if name = rustTestName(name); !ok || name == "" || name[0] == ' ' {
			return false
		}
		s.Add(r.failed(s, name))
		return true
	}))
}

func rustTestName(name string) string {
	name = strings.TrimSuffix(strings.TrimSpace(name), " - should panic")
	if i := strings.Index(name, " - compile"); i > 0 {
		name = name[:i]
	}
	if suite := strings.HasPrefix(name, "[") && strings.Count(name, " ") == 1; strings.Contains(name, " ") && !suite &&
		!strings.Contains(name, "(line ") { // rustc's own tests: "[ui] ui/a.rs"
		return ""
	}
	return name
}

// detail reads "---- tests::a stdout ----" and the output of the test below.
func (r *rustTests) detail(s *parse.Scan, text string) bool {
	name, ok := strings.CutSuffix(text[5:], " stdout ----")
	if name = rustTestName(name); !ok || name == "" {
		return false
	}
	d := s.Add(r.test(name, parse.Detail))
	why := rustReason{draft: d}
	s.Block(func(l parse.Line) parse.Verdict {
		if strings.HasPrefix(l.Text, "---- ") || l.Text == "failures:" || strings.HasPrefix(l.Text, "test result: ") {
			return parse.Done
		}
		if l.Trim() != "" {
			d.Extend(l)
		}
		why.line(l)
		return parse.Take
	})
	return true
}

// rustReason finds the reason for a failure in the output of a test.
type rustReason struct {
	draft *parse.Draft
	panic *rustPanic
	said  bool
}

func (w *rustReason) line(l parse.Line) {
	d, text := w.draft, l.Trim()
	if w.panic != nil && w.panic.line(l) {
		d.Message = w.panic.message
		if w.panic.old && w.panic.File != "" && !strings.Contains(d.Test, "(line ") {
			d.File, d.Line, d.Column = w.panic.File, w.panic.Line, w.panic.Column
		}
		return
	}
	w.panic = nil
	if p, ok := rustPanicAt(text); ok {
		w.panic = p
		w.said = true
		d.Message = p.message
		if d.Line == 0 || !strings.Contains(d.Test, "(line ") {
			d.File, d.Line, d.Column = p.File, p.Line, p.Column
		}
		return
	}
	switch {
	case strings.HasPrefix(text, "note: test did not panic as expected"):
		d.Message = strings.TrimPrefix(text, "note: ")
		if _, at, ok := strings.Cut(text, " at "); ok {
			if p, _, ok := parse.PlaceAt(at); ok && d.Line == 0 {
				d.File, d.Line, d.Column = p.File, p.Line, p.Column
			}
		}
	case strings.HasPrefix(text, "note: panic did not contain expected string"):
		if !w.said {
			d.Message = ""
		}
		d.Message = strings.TrimSpace(strings.TrimPrefix(text, "note: ") + "\n" + d.Message)
	case w.said:
	case strings.HasPrefix(text, "Error: "), isRustHeader(text):
		w.said = true
		d.Message = text
	case strings.HasPrefix(text, "Test compiled successfully"), strings.HasPrefix(text, "Test executable failed"),
		strings.HasPrefix(text, "Couldn't compile the test"):
		d.Message = text
	}
}

// nextestMark reads "        FAIL [   0.005s] crate tests::a". "(1/3) " may precede the crate.
func (r *rustTests) nextestMark(s *parse.Scan, text string) bool {
	head, rest, _ := strings.Cut(text, "] ")
	verb, after, ok := strings.Cut(strings.TrimSpace(head), " [")
	if verb == "Summary" {
		r.ended = r.nextest
		return false
	}
	if r.ended {
		verb = verb[strings.LastIndexByte(verb, ' ')+1:] // as in TRY 3 FAIL
	}
	if !ok || !strings.HasSuffix(after, "s") ||
		verb != "FAIL" && verb != "TIMEOUT" && verb != "SIGABRT" && verb != "SIGSEGV" {
		return false
	}
	f := strings.Fields(rest)
	if len(f) > 2 && strings.HasPrefix(f[0], "(") {
		i := 0
		for i < len(f)-2 && !strings.HasSuffix(f[i], ")") {
			i++
		}
		f = f[i+1:]
	}
	if len(f) != 2 {
		return false
	}
	r.nextest, r.source = true, nextestFile(s, f[0])
	rank := parse.Summary
	if r.ended {
		rank = parse.Mark
	}
	s.Add(r.test(f[1], rank))
	return true
}

// nextestFile returns the main file of a test program that nextest names: shop-core, shop-core::bin/shop, or
// shop-core::api for tests/api.rs.
func nextestFile(s *parse.Scan, program string) string {
	crate, target, _ := strings.Cut(program, "::")
	file := "src/lib.rs"
	if strings.HasPrefix(target, "bin/") {
		file = "src/main.rs"
	} else if target != "" {
		file = "tests/" + target + ".rs"
	}
	return s.CrateFile(strings.ReplaceAll(crate, "-", "_"), file)
}
