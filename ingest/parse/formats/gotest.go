package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// gotestFormat reads the output of go test, gotestsum and gocheck. The output of go test may be verbose, and may come
// from an old Go version. gotestFormat also reads panics, fatal errors and data races of Go programs.
var gotestFormat = parse.Format{
	Name:     "gotest",
	About:    "go test, gotestsum, gocheck; panics and data races of Go programs",
	Triggers: []string{"--- FAIL: ", "--- BENCH: ", ".go:", "WARNING: DATA RACE", "FAIL! -- "},
	Starts: []string{
		"=== RUN", "=== CONT", "=== NAME", "=== FAIL: ", "FAIL\t", "ok  \t", "panic: ", "fatal error: ", "FAIL: ",
		"PANIC: ", "OOPS: ", "  * ",
	},
	New: func() parse.Matcher { return (&goTests{}).match },
}

// goTests keeps the state of the package whose tests are running. The name of the package comes after all its failures.
type goTests struct {
	step    int
	current string                  // the test to which verbose output belongs
	lastRun int                     // line of the newest output of the current test
	logs    map[string]*goLog       // logs of verbose tests that have not ended
	failed  map[string]*parse.Draft // failed tests of the package
	parents map[string]bool         // tests with failed subtests
	drafts  []*parse.Draft          // drafts with a file relative to the package
	races   []*parse.Draft          // races that no failed test has yet
	newest  *parse.Draft            // test of the last marker
	leaf    *parse.Draft            // test of the last marker that failed without a failed subtest
	suite   bool                    // a suite of ginkgo, gocheck or GoConvey has reported its failures
	known   map[string][]goResult
}

// goResult is a failure in a known package.
type goResult struct {
	pkg   string
	draft *parse.Draft
}

const maxGoTests = 2000 // max tests whose logs are kept

// begin clears the state for the next package.
func (g *goTests) begin() {
	g.current, g.newest, g.leaf, g.suite, g.drafts, g.races = "", nil, nil, false, nil, nil
	g.logs, g.failed, g.parents = map[string]*goLog{}, map[string]*parse.Draft{}, map[string]bool{}
}

func (g *goTests) match(s *parse.Scan, l parse.Line) bool {
	if g.step != s.Step() {
		g.step, g.known = s.Step(), map[string][]goResult{}
		g.begin()
	}
	text := strings.TrimPrefix(l.Text, "\x16")
	switch {
	case strings.HasPrefix(text, "=== FAIL: "):
		return g.summary(s, l, text[10:])
	case strings.HasPrefix(text, "=== "):
		return g.running(l, text)
	case strings.HasPrefix(text, "FAIL\t"):
		g.exited(s, l)
		g.packageFailed(s, text[5:])
		return true
	case strings.HasPrefix(text, "ok  \t"):
		g.begin()
		return true
	case strings.HasPrefix(text, "panic: "), strings.HasPrefix(text, "fatal error: "):
		g.died(s, l, text)
		return false
	case strings.Contains(text, "WARNING: DATA RACE"):
		g.race(s)
		return true
	case strings.HasPrefix(text, "OOPS: "), strings.Contains(text, "FAIL! -- "), isConvey(text):
		g.suite = true
		return false
	case strings.HasPrefix(text, "FAIL: "), strings.HasPrefix(text, "PANIC: "):
		return g.gocheck(s, text)
	}
	if i := strings.Index(text, "--- FAIL: "); i >= 0 {
		return g.marker(s, l, text, i)
	}
	if strings.HasPrefix(text, "--- BENCH: ") { // its log follows
		s.Block(func(l parse.Line) parse.Verdict {
			if width(l.Text) < 4 {
				return parse.Done
			}
			return parse.Take
		})
		return true
	}
	return g.log(s, l)
}

// running reads "=== RUN   TestA/sub", and lines with PAUSE, CONT or NAME instead of RUN. The output that follows
// belongs to the named test, until another test is named.
func (g *goTests) running(l parse.Line, text string) bool {
	verb, name, ok := strings.Cut(text[4:], " ")
	name = strings.TrimSpace(name)
	if !ok || name == "" || strings.ContainsAny(name, " \t") {
		return false
	}
	g.current = name
	if g.lastRun = l.N; verb == "RUN" {
		delete(g.logs, name)
		g.newest = nil
	}
	return true
}

// log reads "    x_test.go:5: message" in a verbose run.
func (g *goTests) log(s *parse.Scan, l parse.Line) bool {
	if g.current == "" || width(l.Text) != 4 {
		return false
	}
	if _, _, ok := goLogPlace(l.Trim()); !ok {
		return false
	}
	log := g.logs[g.current]
	if log == nil {
		if len(g.logs) >= maxGoTests {
			clear(g.logs)
		}
		log = &goLog{}
		g.logs[g.current] = log
	}
	log.feed(l)
	g.lastRun = l.N
	s.Block(func(l parse.Line) parse.Verdict {
		if width(l.Text) < 8 || strings.Contains(l.Text, "--- FAIL: ") {
			return parse.Done
		}
		log.feed(l)
		g.lastRun = l.N
		return parse.Take
	})
	return true
}

// marker reads "--- FAIL: TestA/sub (0.00s)", which starts at text[i:]. The text before the marker is indentation, or
// output of the test without a line end.
func (g *goTests) marker(s *parse.Scan, l parse.Line, text string, i int) bool {
	name, ok := goTestName(text[i+10:])
	if !ok {
		return false
	}
	indent := 0
	if strings.TrimSpace(text[:i]) == "" {
		indent = width(text)
	}
	d := g.fail(s, l, name)
	g.newest = d
	if !d.Merged {
		g.leaf = d
	}
	log := g.logs[name]
	if log == nil {
		log = &goLog{}
	} else {
		delete(g.logs, name)
		d.LogLine = min(d.LogLine, log.start())
		log.fill(d)
	}
	if g.suite && log.best.text == "" {
		d.Weight = parse.Repeat
	}
	g.details(s, d, log, indent, strings.HasPrefix(name, "Example"))
	return true
}

// goTestName reads "TestA/sub (0.00s)", "TestA (0.00 seconds)", and "BenchmarkA-8" of a benchmark.
func goTestName(text string) (string, bool) {
	if strings.HasPrefix(text, "Benchmark") && !strings.ContainsAny(text, " \t") {
		name, procs, ok := strings.Cut(text, "-")
		if !ok || parse.AllDigits(procs) {
			return name, true
		}
		return text, true
	}
	name, rest, ok := strings.Cut(text, " (")
	end := strings.IndexByte(rest, ')')
	if !ok || name == "" || end < 0 || rest == "" || !parse.IsDigit(rest[0]) || strings.ContainsAny(name, " \t") {
		return "", false
	}
	return name, strings.HasSuffix(rest[:end], "s")
}

// fail returns the draft of a failed test. A test with a failed subtest is not a failure of its own, because it usually
// failed only because of the subtest.
func (g *goTests) fail(s *parse.Scan, l parse.Line, name string) *parse.Draft {
	for i := strings.LastIndexByte(name, '/'); i > 0; i = strings.LastIndexByte(name[:i], '/') {
		g.parents[name[:i]] = true
		if d := g.failed[name[:i]]; d != nil {
			d.Merged = true
		}
	}
	if d := g.failed[name]; d != nil {
		d.Extend(l)
		return d
	}
	d := s.Add(parse.Draft{Event: store.Event{Message: "test failed", Category: store.CategoryTest, Test: name,
		LogLine: l.N}})
	d.Merged = g.parents[name]
	g.keep(d)
	g.failed[name] = d
	return d
}

// keep stores a draft whose directory will be known when the package is named. If more than parse.MaxPending drafts are
// stored, keep first forgets them, because the log probably does not name its packages.
func (g *goTests) keep(d *parse.Draft) {
	if len(g.drafts) > parse.MaxPending {
		g.begin()
	}
	g.drafts = append(g.drafts, d)
}

// details opens a block for the lines below a marker that are indented more than the marker. The output of an example
// need not be indented.
func (g *goTests) details(s *parse.Scan, d *parse.Draft, log *goLog, indent int, example bool) {
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		switch {
		case text == "" && l.Text == "":
			return parse.Pass
		case example && width(l.Text) == 0 && !isGoTestLine(text):
			log.output(l)
		case width(l.Text) < indent+4 || strings.HasPrefix(text, "--- FAIL: ") || strings.HasPrefix(text, "--- PASS: ") ||
			strings.HasPrefix(text, "--- SKIP: "):
			return parse.Done
		case strings.HasPrefix(text, "testing.go:") && strings.HasSuffix(text, "race detected during execution of test") &&
			len(g.races) > 0:
			g.claimRaces(d)
			return parse.Take
		default:
			log.feed(l)
		}
		log.fill(d)
		d.Extend(l)
		return parse.Take
	})
}

// isGoTestLine reports whether a line without indentation looks like a line of go test or of the Go runtime.
func isGoTestLine(text string) bool {
	return text == "FAIL" || text == "PASS" || strings.HasPrefix(text, "--- ") || strings.HasPrefix(text, "=== ") ||
		strings.HasPrefix(text, "FAIL\t") ||
		strings.HasPrefix(text, "ok  \t") || strings.HasPrefix(text, "exit status ") ||
		strings.HasPrefix(text, "panic: ") || strings.HasPrefix(text, "coverage: ")
}

// exited adds a failure for the test that printed the last output before the end of the package. The process of such a
// test exited without a message.
func (g *goTests) exited(s *parse.Scan, l parse.Line) {
	if g.current != "" && g.lastRun == l.N-1 && g.failed[g.current] == nil && !g.parents[g.current] {
		d := g.fail(s, l, g.current)
		d.Message = "the process exited while the test ran"
	}
}

// packageFailed reads the text after FAIL in "FAIL\tpkg\t0.1s" or "FAIL\tpkg [build failed]".
func (g *goTests) packageFailed(s *parse.Scan, text string) {
	pkg, _, _ := strings.Cut(text, "\t")
	pkg, why, _ := strings.Cut(pkg, " ")
	g.place(s, pkg)
	for name, d := range g.failed {
		if len(g.known) < maxGoTests && len(g.known[name]) < parse.MaxLanes {
			g.known[name] = append(g.known[name], goResult{pkg, d})
		}
	}
	weight := parse.Repeat
	message := "package " + pkg + " failed"
	if why != "" {
		message = "package " + pkg + " " + why
	} else if len(g.drafts) == 0 && len(g.races) == 0 {
		weight = parse.Certain // no test says why the package failed: os.Exit, TestMain
	}
	s.Add(parse.Draft{Weight: weight, Event: store.Event{Message: message, Category: store.CategoryTest}})
	g.begin()
}

// place sets the package's directory in the failures whose file names have no directory.
func (g *goTests) place(s *parse.Scan, pkg string) {
	dir, ok := packageDir(s.GoModule(pkg), pkg)
	if !ok {
		if dir, ok = goPackageDir(pkg); !ok {
			return
		}
		if base := s.Dir(); base != "" { // the command ran in a module below the top directory
			if dir == base {
				dir = ""
			}
			dir = strings.TrimPrefix(dir, base+"/")
		}
	}
	for _, d := range g.drafts {
		if !strings.ContainsAny(d.File, `/\`) {
			d.Dir = dir
		}
	}
}
