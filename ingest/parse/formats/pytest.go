package formats

import (
	"strconv"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// pytestFormat reads pytest: the results that -v and xdist print during the run, the FAILURES and ERRORS sections in
// every --tb style, the short test summary, warnings, crashes and usage errors.
var pytestFormat = parse.Format{
	Name:  "pytest",
	About: "pytest: failed tests, collection and usage errors, crashes, warnings summary",
	Triggers: []string{
		".py::", " FAILED", " - Failed: ", "while loading conftest", "FAIL Required test coverage",
		"Required test coverage of", "INTERNALERROR>",
	},
	Starts: []string{"==", "= ", "__", "_ ", "――", "++++", "FAILED", "SUBFAIL", "ERROR ", "rootdir: ",
		"Test session starts (", "ERROR: usage: ", "ERROR: file or directory not found: ", "ERROR: not found: ",
		"ERROR: found no collectors for ", "ERROR: Wrong expression passed to '", "ERROR: Coverage failure: ",
		"pytest: error: "},
	New: func() parse.Matcher { return newPytest().match },
}

const maxPytestTests = 50000 // max failures of a session that are distinguished

// pytest is the state of the running session.
type pytest struct {
	session int
	width   int  // width of separator lines
	section byte // 'F' in FAILURES, 'E' in ERRORS, '-' in another section, 0 while tests run
	root    string
	running bool // between the first and the last line of a session
	failed  bool // an event explains the failure
	last    string
	seen    map[string]int    // how often marks, sections and summary named a test
	nodes   map[string]string // by key: node IDs that marks gave
	details map[string]*parse.Draft
	order   [2][]*parse.Draft // details in their order: of failures, of errors
	summed  [2]int            // summary lines so far: of failures, of errors
}

func newPytest() *pytest {
	p := &pytest{}
	p.reset()
	return p
}

func (p *pytest) reset() {
	*p = pytest{session: p.session + 1, width: 80, seen: map[string]int{}, nodes: map[string]string{},
		details: map[string]*parse.Draft{}}
}

func (p *pytest) match(s *parse.Scan, l parse.Line) bool {
	text := strings.TrimRight(l.Text, " ")
	if text == "" {
		return false
	}
	switch {
	case text[0] == '=':
		return p.banner(s, text)
	case text[0] == '_' || strings.HasPrefix(text, "――"):
		return p.header(s, text)
	case strings.HasPrefix(text, "rootdir: "):
		p.root, _, _ = strings.Cut(text[9:], ", ")
		return true
	case strings.HasPrefix(text, "Test session starts ("): // pytest-sugar
		p.reset()
		p.running = true
		return true
	case text[0] == '+':
		return p.timeout(s, text)
	case strings.HasPrefix(text, "INTERNALERROR>"):
		p.internal(s, l)
		return true
	case strings.HasPrefix(text, "ImportError while loading conftest"), strings.HasPrefix(text, "ConftestImportFailure: "):
		p.conftest(s, text)
		return true
	case strings.Contains(text, "Required test coverage of") && strings.Contains(text, "not reached"),
		strings.HasPrefix(text, "ERROR: Coverage failure"):
		p.failed = true
		s.Add(parse.Draft{Event: store.Event{Message: strings.TrimPrefix(strings.TrimPrefix(text, "FAIL "), "ERROR: "),
			Category: store.CategoryTest, Code: "coverage"}, Key: "coverage"})
		return true
	case hasAnyPrefix(text, "pytest: error: ", "ERROR: usage: ", "ERROR: file or directory not found: ",
		"ERROR: not found: ", "ERROR: found no collectors for ", "ERROR: Wrong expression passed to '"):
		return pytestUsage(s, text)
	}
	return p.mark(s, text) || p.summaryLine(s, text)
}

// pytestUsage reads an error about pytest's arguments: "ERROR: file or directory not found: test_a.py".
func pytestUsage(s *parse.Scan, text string) bool {
	_, message, _ := strings.Cut(text, ": ")
	message = strings.TrimPrefix(message, "error: ")
	if strings.HasPrefix(message, "usage: ") {
		return true
	}
	s.Add(parse.Draft{Event: store.Event{Message: message, Category: store.CategoryTest, Code: "usage"}, Key: message})
	return true
}

// separatorTitle returns the title in a line such as "=== title ===". One side may have one sign more than the
// other.
func separatorTitle(text, sign string) (string, bool) {
	left := len(text) - len(strings.TrimLeft(text, sign))
	title := strings.Trim(text, sign)
	right := len(text) - left - len(title)
	if len(title) < 3 || title[0] != ' ' || title[len(title)-1] != ' ' || right < left-len(sign) ||
		right > left+len(sign) {
		return "", false
	}
	return title[1 : len(title)-1], true
}

// banner reads the titles between sections.
func (p *pytest) banner(s *parse.Scan, text string) bool {
	title, ok := separatorTitle(text, "=")
	if !ok {
		return false
	}
	switch title {
	case "test session starts":
		p.reset()
		p.running = true
		p.width = len(text)
	case "FAILURES", "ERRORS":
		p.width, p.section = len(text), title[0]
		s.Block(p.lineStyle(s))
	case "short test summary info":
		p.section = '-'
		s.Block(p.summary(s))
	case "warnings summary", "warnings summary (final)":
		p.section = '-'
		s.Block(p.warnings(s))
	case "PASSES", "XFAILURES", "XPASSES", "RERUNS":
		p.width, p.section = len(text), '-'
		s.Block(p.skip(s))
	default:
		p.section = '-'
		if !pytestOver(title) {
			return p.running
		}
		p.over(s, title)
	}
	return true
}

// pytestOver reports whether text is the last line of a session: "1 failed, 2 passed in 0.12s".
func pytestOver(text string) bool {
	i := strings.LastIndex(text, " in ")
	if i < 0 || !parse.IsDigit(text[min(i+4, len(text)-1)]) || !strings.Contains(text[i:], "s") {
		return false
	}
	if text[:i] == "no tests ran" {
		return true
	}
	for part := range strings.SplitSeq(text[:i], ", ") {
		_, n := parse.Number(part)
		if n == 0 || n+1 >= len(part) || part[n] != ' ' || !parse.IsLower(part[n+1]) {
			return false
		}
	}
	return strings.Contains(text, "passed") || strings.Contains(text, "failed") || strings.Contains(text, "error") ||
		strings.Contains(text, "skipped") ||
		strings.Contains(text, "deselected") || strings.Contains(text, "warning") || strings.Contains(text, "xpassed") ||
		strings.Contains(text, "xfailed")
}

// pytestRanNone reports whether the counts at the end of a session say that no test was selected. Then pytest fails.
func pytestRanNone(counts string) bool {
	counts, _, _ = strings.Cut(counts, " in ")
	for part := range strings.SplitSeq(counts, ", ") {
		if !strings.HasSuffix(part, " deselected") && !strings.Contains(part, " warning") {
			return false
		}
	}
	return strings.Contains(counts, " deselected")
}

// over ends a session. If the counts say that tests failed or that no tests ran, but no failed test was named, the
// counts become the event.
func (p *pytest) over(s *parse.Scan, title string) {
	if pytestRanNone(title) {
		title = "no tests ran, " + title
	}
	if !p.failed && (strings.Contains(title, " failed") && !strings.HasPrefix(title, "0 failed") ||
		strings.Contains(title, " error") || strings.HasPrefix(title, "no tests ran")) {
		s.Add(parse.Draft{Weight: parse.Repeat, Event: store.Event{Message: title, Category: store.CategoryTest}})
	}
	p.reset()
}

// skip returns a block that skips a section about tests that did not fail.
func (p *pytest) skip(s *parse.Scan) func(parse.Line) parse.Verdict {
	b := &pytestDetail{p: p, captured: true}
	return func(l parse.Line) parse.Verdict {
		text := strings.TrimRight(l.Text, " ")
		if v, over := b.border(text); !over || v == parse.Take {
			return parse.Take
		}
		if text[0] == '_' {
			s.Block(p.skip(s))
			return parse.Take
		}
		return parse.Done
	}
}

// key returns the key that all reports of one failure share. Several failures may have the same name, so the key has a
// number. A failure has the same number in the marks, the sections and the summary, because all three list the tests in
// the same order.
func (p *pytest) key(kind byte, where, tail string) string {
	tail = strings.ReplaceAll(tail, "::", ".")
	counter := where + string(kind) + tail
	if len(p.seen) < maxPytestTests {
		p.seen[counter]++
	}
	return strconv.Itoa(p.session) + string(kind) + tail + "#" + strconv.Itoa(p.seen[counter])
}

// nodeTail splits a node ID into the file and the part after it. The node ID of a collection error is only a file;
// then both results are this file.
func nodeTail(node string) (file, tail string) {
	file, tail, ok := strings.Cut(node, "::")
	if !ok {
		return node, node
	}
	return file, tail
}

// isNodeID reports whether text can be a node ID that names a test.
func isNodeID(text string) bool {
	file, tail, ok := strings.Cut(text, "::")
	return ok && tail != "" && file != "" && strings.IndexByte(file, ' ') < 0 && strings.ContainsAny(file, "./")
}

// mark reads the result of a test during the run: "a.py::test FAILED [ 7%]", and "[gw0] [ 7%] FAILED a.py::test" of
// xdist.
func (p *pytest) mark(s *parse.Scan, text string) bool {
	text = trimPercent(text)
	if strings.HasPrefix(text, "[gw") {
		_, rest, _ := strings.Cut(text, "] ")
		if strings.HasPrefix(rest, "[") {
			_, rest, _ = strings.Cut(rest, "] ")
		}
		word, node, _ := strings.Cut(rest, " ")
		if !isNodeID(node) {
			return false
		}
		p.marked(s, node, word)
		return true
	}
	if text == "FAILED" && p.last != "" {
		p.marked(s, p.last, text)
		return true
	}
	i := strings.LastIndexByte(text, ' ')
	if i < 0 || strings.HasSuffix(text, "]") {
		if isNodeID(text) {
			p.last = text
			return true
		}
		return false
	}
	node, word := strings.TrimSpace(text[:i]), text[i+1:]
	if !isNodeID(node) {
		return false
	}
	if word == strings.ToUpper(word) {
		p.marked(s, node, word)
		return true
	}
	p.last, _, _ = strings.Cut(node, " ")
	return false
}

func trimPercent(text string) string {
	if rest, ok := strings.CutSuffix(text, "%]"); ok {
		if i := strings.LastIndexByte(rest, '['); i > 0 {
			return strings.TrimRight(rest[:i], " ")
		}
	}
	return text
}

func (p *pytest) marked(s *parse.Scan, node, word string) {
	p.last = ""
	if word != "FAILED" && word != "ERROR" {
		return
	}
	p.failed = true
	file, tail := nodeTail(node)
	key := p.key(word[0], "mark", tail)
	if len(p.nodes) < maxPytestTests {
		p.nodes[key] = node
	}
	s.Add(parse.Draft{Event: store.Event{File: file, Message: "test " + strings.ToLower(word),
		Category: store.CategoryTest, Test: node}, Key: key, Rank: parse.Mark})
}
