package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// gtestFormat reads GoogleTest, and cmocka, whose output is similar.
var gtestFormat = parse.Format{
	Name:  "gtest",
	About: "GoogleTest and cmocka",
	Triggers: []string{
		": Failure", ": Fatal failure", ": Non-fatal failure", "unknown file: error", "): error: ", "[  FAILED  ]",
		"Segmentation fault", "core dumped",
	},
	Starts: []string{"[ RUN      ]", "[       OK ]", "[  ERROR   ]", "[   LINE   ]", "[----------]", "[  SKIPPED ]",
		"[ SKIPPED  ]", "[==========]", "[  PASSED  ]"},
	New: func() parse.Matcher { return new(gtest).match },
}

// gtest keeps the running test.
type gtest struct {
	test    string
	message []string // message of the first failure
	at      parse.Place
	start   int // line of the first failure, 0 for none

	unfinished gtestRun
	cmocka     cmocka
}

// next replaces the running test by another one; "" stands for none.
func (g *gtest) next(test string) { *g = gtest{test: test, unfinished: g.unfinished, cmocka: g.cmocka} }

// gtestRun is the event of the running test. The event stays if the log has no line for the end of the test, because
// the program died. All tests of a step share one event.
type gtestRun struct {
	d    *parse.Draft
	step int
}

// begin resets the event for another test.
func (r *gtestRun) begin(s *parse.Scan, l parse.Line, test string) {
	if r.d == nil || r.step != s.Step() {
		r.d, r.step = s.Add(parse.Draft{}), s.Step()
	}
	tool := r.d.Tool
	*r.d = parse.Draft{Weight: parse.Likely, Event: store.Event{Tool: tool, Severity: store.SeverityError, Test: test,
		Message: "the test did not finish", Category: store.CategoryTest}}
	r.d.Move(l)
}

// failed adds a failed assertion to the event.
func (r *gtestRun) failed(g *gtest, l parse.Line) {
	if r.d == nil || r.d.Merged || g.test == "" {
		return
	}
	r.d.Weight, r.d.LogLine = parse.Certain, g.start
	r.d.File, r.d.Line, r.d.Message = g.at.File, g.at.Line, strings.Join(g.message, "\n")
	r.d.Extend(l)
}

// end drops the event, because the test has ended.
func (r *gtestRun) end() {
	if r.d != nil {
		r.d.Merged = true
	}
}

const maxGtestLines = 12

// testFailed is the message of a failed test of which nothing more is known.
const testFailed = "test failed"

func (g *gtest) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if !isGtestMark(text) {
		return g.failure(s, l, text) || g.crash(s, text)
	}
	rest := strings.TrimSpace(text[12:])
	switch text[:12] {
	case "[ RUN      ]":
		if g.neovim(s, rest) {
			return true
		}
		g.next(rest)
		g.unfinished.begin(s, l, rest)
		g.busted(s)
	case "[       OK ]", "[  SKIPPED ]", "[ SKIPPED  ]", "[----------]", "[==========]", "[  PASSED  ]":
		g.unfinished.end()
		g.next("")
	case "[  FAILED  ]":
		g.failed(s, l, rest)
	case "[  ERROR   ]":
		g.errored(s, l, rest)
	case "[   LINE   ]":
		g.line(l, strings.TrimPrefix(rest, "--- "))
	default:
		return false
	}
	return true
}

// failure reads a failed assertion. It stops at an empty line, a mark or the next failed assertion. The first failed
// assertion of a test describes the failure of the test.
func (g *gtest) failure(s *parse.Scan, l parse.Line, text string) bool {
	p, message, ok := g.failureAt(text)
	if !ok {
		return false
	}
	first := g.start == 0
	if first {
		g.start, g.at, g.message = l.N, p, nil
		if message != "" {
			g.message = append(g.message, message)
		}
	} else if g.at.File == "" {
		g.at = p
	}
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if text == "" && first && len(g.message) == 0 {
			return parse.Take // gmock begins with an empty line
		}
		if text == "" || isGtestMark(text) {
			return parse.Done
		}
		if _, _, another := g.failureAt(text); another {
			return parse.Done
		}
		if first && len(g.message) < maxGtestLines {
			g.message = append(g.message, text)
			g.unfinished.failed(g, l)
		}
		return parse.Take
	})
	return true
}

// isGtestMark reports whether a line begins with a mark: "[       OK ] ".
func isGtestMark(text string) bool { return len(text) >= 12 && text[0] == '[' && text[11] == ']' }

// crash reads how the program died while a test ran. The log has no other line for the end of such a test.
func (g *gtest) crash(s *parse.Scan, text string) bool {
	reason, ok := crashReason(text)
	if !ok || g.test == "" {
		return false
	}
	if g.start == 0 {
		g.unfinished.end()
	}
	s.Add(parse.Draft{Key: g.test, Event: store.Event{Test: g.test, Message: reason, Category: store.CategoryTest}})
	g.next("")
	return true
}

// failureAt reads "a_test.cc:12: Failure", Visual C++'s
// "a_test.cc(12): error: Expected …" and "unknown file: Failure".
func (g *gtest) failureAt(text string) (p parse.Place, message string, ok bool) {
	switch text {
	case "unknown file: Failure", "unknown file: error":
		return parse.Place{}, "", true
	}
	if !strings.Contains(text, "Failure") && !strings.Contains(text, "error: ") {
		return parse.Place{}, "", false
	}
	p, rest, ok := parse.PlaceAt(text)
	if !ok {
		return parse.Place{}, "", false
	}
	if rest == "Failure" || rest == "Fatal failure" || rest == "Non-fatal failure" {
		return p, "", true
	}
	message, ok = strings.CutPrefix(rest, "error: ") // Visual C++ prints places in this form
	return p, message, ok && g.test != "" && p.Column == 0 && strings.Contains(text, "): error: ")
}

// failed reads the text after "[  FAILED  ]": the end of a test, or an entry of the list at the end of the run.
func (g *gtest) failed(s *parse.Scan, l parse.Line, rest string) {
	name := gtestName(rest)
	if name == "" {
		g.cmocka.group(rest)
		return
	}
	if g.start > 0 || name == g.test {
		g.unfinished.end()
	}
	if _, title, ok := strings.Cut(name, ": "); ok && s.Reported("busted", title) != nil {
		return
	}
	d := parse.Draft{Key: name, Rank: parse.Summary,
		Event: store.Event{Test: name, Category: store.CategoryTest, Message: testFailed}}
	if g.test == name || g.start > 0 {
		d.Rank = parse.Detail
		d.File, d.Line = g.at.File, g.at.Line
		if message := strings.TrimSpace(strings.Join(g.message, "\n")); message != "" {
			d.Message = message
		}
		if d.LogLine = g.start; d.LogLine == 0 {
			d.LogLine = l.N
		}
		d.LogLineEnd = l.N
	}
	g.next("")
	g.cmocka.failed(s.Add(d))
}

// gtestName removes the time and the parameter from "Suite.Test/0, where GetParam() = 5 (0 ms)". It returns "" for
// counts.
func gtestName(rest string) string {
	if number, n := parse.Number(rest); n > 0 && number > 0 && strings.HasPrefix(rest[n:], " ") {
		return ""
	}
	for _, end := range [...]string{", where ", " (", ": SetUpTestSuite", ": SetUpTestCase"} {
		if i := strings.Index(rest, end); i > 0 {
			rest = rest[:i]
		}
	}
	// busted prints the names of its tests in this form: "a_spec.lua @ 3: its name".
	if at, _, ok := strings.Cut(rest, ": "); ok && strings.Contains(at, ".lua @ ") {
		return rest
	}
	if strings.ContainsAny(rest, " \t") {
		return ""
	}
	return rest
}

// neovim reads "[ RUN      ] NAME: 20.00 ms FAIL" of Neovim's tests, which have the result on the first line. The place
// and the message are below.
func (g *gtest) neovim(s *parse.Scan, text string) bool {
	rest, failed := strings.CutSuffix(text, " ms FAIL")
	if !failed {
		rest, failed = strings.CutSuffix(text, " ms ERR")
	}
	i := strings.LastIndex(rest, ": ")
	if !failed || i < 0 {
		return false
	}
	g.unfinished.end()
	g.next("")
	d := testDraft(rest[:i], "")
	d.Tool, d.Key = "busted", d.Test
	added := s.Add(d)
	s.Block(parse.Below{Lines: 8, Join: "\n", Until: []string{"["}, Each: func(text string) {
		if p, _, ok := parse.PlaceAt(text); ok && added.File == "" {
			added.At(p.File, p.Line, p.Column)
		}
	}}.Block(added))
	return true
}
