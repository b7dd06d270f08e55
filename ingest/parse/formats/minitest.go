package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// minitestFormat reads all versions of minitest, Test::Unit of Ruby 1.8, failures that Rails prints during the run, and
// minitest-reporters.
var minitestFormat = parse.Format{
	Name:     "minitest",
	About:    "minitest, rails test, minitest-reporters",
	Triggers: []string{") Failure:", ") Error:", `FAIL["`, `ERROR["`, " FAIL (", " ERROR ("},
	Starts:   []string{"Failure:", "Error:"},
	Match:    matchMinitest,
}

func matchMinitest(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	for _, word := range [...]string{`FAIL["`, `ERROR["`} {
		if i := strings.Index(text, word); i >= 0 {
			return minitestReporter(s, text[i+len(word):], word[0] == 'E')
		}
	}
	if strings.HasPrefix(text, "test") && l.Indent() > 0 {
		return minitestSpec(s, text)
	}
	_, n := parse.Number(text)
	word := strings.TrimPrefix(text[n:], ") ")
	if word != "Failure:" && word != "Error:" {
		return false
	}
	b := &minitestBlock{s: s, start: l.N, plain: n == 0, raised: word == "Error:"}
	s.Block(b.line)
	return n > 0
}

// minitestReporter reads the default reporter of minitest-reporters: FAIL["test_div", "TestCalc", 0.001], and the
// message below.
func minitestReporter(s *parse.Scan, text string, raised bool) bool {
	name, rest, ok := strings.Cut(text, `", `)
	if !ok {
		return false
	}
	class, _, ok := strings.Cut(rest, ", ")
	if !ok {
		return false
	}
	class = strings.Trim(strings.TrimPrefix(class, "#<Class:"), `">`)
	if class == "Minitest::Result" { // reporters older than minitest 5.11
		class = ""
	}
	minitestDetail(s, strings.TrimPrefix(class+"#"+name, "#"), raised)
	return true
}

// minitestSpec reads a line of the spec reporter: "test_div    FAIL (0.00s)".
func minitestSpec(s *parse.Scan, text string) bool {
	i := strings.LastIndex(text, "  ")
	if i < 0 || !strings.HasSuffix(text, "s)") {
		return false
	}
	word := cutAt(strings.TrimSpace(text[i:]), ' ')
	if word != "FAIL" && word != "ERROR" {
		return false
	}
	minitestDetail(s, strings.TrimSpace(text[:i]), word == "ERROR")
	return true
}

// minitestDetail adds a failure and reads its message from the lines below.
func minitestDetail(s *parse.Scan, name string, raised bool) {
	b := &minitestBlock{s: s, reporter: true, raised: raised}
	b.d = s.Add(parse.Draft{Event: store.Event{Test: name, Message: "test failed", Category: store.CategoryTest}})
	s.Block(b.line)
}

// minitestBlock reads one failure: the test, the message and the frames.
type minitestBlock struct {
	s        *parse.Scan
	d        *parse.Draft
	start    int
	plain    bool // "Failure:" without a number, which may come from another tool
	reporter bool
	raised   bool // the test raised an exception
	code     bool // Ruby's code excerpt follows the message: an empty line, the code and a caret
	message  []string
	trace    rubyTrace
	frames   bool
	early    bool // the frames came before the message, as in Ruby 1.8
}

func (b *minitestBlock) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	if b.d == nil {
		return b.test(l, text)
	}
	switch {
	case text == "" && b.raised && !b.code && len(b.message) > 0 && !b.frames:
		b.code = true
	case b.code && !b.frames && l.Indent() == 0:
		return parse.Done
	case text == "" && (len(b.message) > 0 || b.frames):
		return parse.Last
	case text == "":
		return parse.Take
	case b.trace.add(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")) &&
		(l.Indent() > 0 || strings.Contains(text, ":in ")):
		b.early = b.early || len(b.message) == 0
		b.frames = true
		if p := b.trace.place(); p.File != "" && (b.d.File == "" || !isRubyTest(b.d.File) && b.d.File != p.File) {
			b.d.File, b.d.Line = p.File, p.Line
		}
	case b.frames && strings.HasSuffix(text, "]:"): // Ruby 1.8 prints the frames before the message
	case b.frames && !b.early && !b.reporter && l.Indent() == 0 && len(b.message) > 0:
		return parse.Done
	// minitest-reporters prints the name of the test a second time
	case b.reporter && strings.HasSuffix(text, "s)") && strings.Contains(text, "#") && len(b.message) == 0:
	case len(b.message) < parse.MaxMessageLines && !b.code:
		b.message = append(b.message, minitestWords(text))
		b.d.Message = strings.Join(b.message, "\n")
	}
	b.d.Extend(l)
	return parse.Take
}

// test reads the line that names the test: "TestCalc#test_div [test/a.rb:4]:", "TestCalc#test_raises:", or the older
// "test_div(TestCalc) [test/a.rb:4]:".
func (b *minitestBlock) test(l parse.Line, text string) parse.Verdict {
	name, at := strings.TrimSuffix(text, ":"), ""
	if i := strings.LastIndex(name, " ["); i > 0 && strings.HasSuffix(name, "]") {
		name, at = name[:i], name[i+2:len(name)-1]
	}
	ok := strings.HasSuffix(text, ":") || strings.HasSuffix(name, ")") || at != ""
	if class, method, found := rubyTestName(name); found {
		name = class + "#" + method
	} else if !strings.Contains(name, "#") || b.plain && strings.Contains(cutAt(name, '#'), " ") {
		ok = false
	}
	if !ok {
		return parse.Done
	}
	name = strings.TrimPrefix(name, "Minitest::Result#")
	e := store.Event{Test: name, Message: "test failed", Category: store.CategoryTest, LogLine: b.start}
	if p, _, ok := rubyPlace(at); ok {
		e.File, e.Line = p.File, p.Line
	}
	b.d = b.s.Add(parse.Draft{Event: e, Key: name})
	b.d.Extend(l)
	return parse.Take
}

// minitestWords removes the words that reporters put before a message.
func minitestWords(text string) string {
	for _, class := range [...]string{"Minitest::Assertion:", "Minitest::UnexpectedError:"} {
		if rest, ok := strings.CutPrefix(text, class); ok {
			return strings.TrimSpace(rest)
		}
	}
	return text
}

// rubyTestName reads "test_div(TestCalc)". The name of the method may contain any words after "test".
func rubyTestName(text string) (class, method string, ok bool) {
	if !strings.HasSuffix(text, ")") {
		return "", "", false
	}
	i := strings.LastIndexByte(text, '(')
	if i <= 0 || !strings.HasPrefix(text, "test") {
		return "", "", false
	}
	class = text[i+1 : len(text)-1]
	if class == "" || class[0] < 'A' || class[0] > 'Z' || strings.ContainsAny(class, " '\"") {
		return "", "", false
	}
	return class, text[:i], true
}
