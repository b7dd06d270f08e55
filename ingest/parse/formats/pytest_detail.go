package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// pytestDetail reads the details of one failure. They are in a FAILURES or ERRORS section, or are printed while tests
// run.
type pytestDetail struct {
	p        *pytest
	d        *parse.Draft
	tail     string // name of the test in the header
	message  string
	first    string // first text line, used if there is no other message
	inE      bool   // the previous line was marked E
	captured bool   // in a section with captured output
	nested   bool   // in the output of a pytest that a test started
	native   bool   // in a traceback in Python's own form
	expected bool   // in the expected output of a doctest
	inline   bool   // printed while tests run, not in a section
	placed   bool   // the last line of the details was read
	module   string // module of a file that could not be collected; reports have no other name for it
	named    bool   // the name of the test is known; otherwise it is built from its parts
}

// header reads "____ TestC.test_a ____" and opens a block for the details below.
func (p *pytest) header(s *parse.Scan, text string) bool {
	sign := "_"
	if text[0] != '_' {
		sign = "―"
	}
	title, ok := separatorTitle(text, sign)
	if !ok || strings.Trim(title, " _") == "" || p.section == '-' || (p.section == 0 && (!p.running || len(text) < 40)) {
		return false
	}
	kind := byte('F')
	tail := strings.TrimPrefix(strings.TrimSpace(title), "[doctest] ")
	for _, prefix := range [...]string{"ERROR at setup of ", "ERROR at teardown of ", "ERROR collecting "} {
		if rest, ok := strings.CutPrefix(tail, prefix); ok {
			kind, tail = 'E', rest
		}
	}
	p.failed = true
	key := p.key(kind, "head", tail)
	b := &pytestDetail{p: p, tail: tail, inline: p.section == 0}
	b.d = s.Add(parse.Draft{Event: store.Event{Category: store.CategoryTest, Test: p.nodes[key]}, Key: key})
	if len(p.details) < maxPytestTests {
		p.details[key] = b.d
		list := strings.IndexByte("FE", kind)
		p.order[list] = append(p.order[list], b.d)
	}
	if kind == 'E' && strings.Contains(title, "collecting") {
		b.d.File, b.d.Test = tail, tail
		b.module = pythonModule(tail)
	}
	b.named = b.d.Test != ""
	s.Block(b.line)
	return true
}

// line reads a line of the details.
func (b *pytestDetail) line(l parse.Line) parse.Verdict {
	text := strings.TrimRight(l.Text, " ")
	if v, over := b.border(text); over {
		if parse.IsDigit(text[0]) { // the last line of a quiet session
			b.p.reset()
		}
		return v
	}
	if b.captured {
		return parse.Take
	}
	if b.inline && b.placed && (text == "" || isNodeID(cutAt(text, ' ')) || strings.HasPrefix(text, "[gw")) {
		b.finish()
		return parse.Done
	}
	b.d.Extend(l)
	b.read(text)
	b.finish()
	return parse.Take
}

// border reads the lines between sections and between failures.
func (b *pytestDetail) border(text string) (v parse.Verdict, over bool) {
	if text == "" {
		return parse.Take, false
	}
	switch text[0] {
	case '=':
		title, ok := separatorTitle(text, "=")
		if !ok || len(text) != b.p.width {
			return parse.Take, b.captured
		}
		if b.captured && title == "test session starts" {
			b.nested = true
			return parse.Take, true
		}
		if b.nested {
			b.nested = !pytestOver(title)
			return parse.Take, true
		}
		return parse.Done, true
	case '_':
		title, ok := separatorTitle(text, "_")
		if ok && !b.nested && strings.Trim(title, " _") != "" && len(text) >= b.p.width {
			return parse.Done, true
		}
	case '-':
		title, ok := separatorTitle(text, "-")
		if !ok {
			break
		}
		if strings.HasPrefix(title, "Captured ") {
			b.captured, b.nested = true, false
			return parse.Take, true
		}
		if !b.nested && (strings.HasPrefix(title, "coverage: ") || strings.HasPrefix(title, "generated ")) {
			return parse.Done, true
		}
	case '!':
		if !b.captured && strings.HasPrefix(text, "!!!") {
			return parse.Done, true
		}
	default:
		if strings.HasPrefix(text, "―") && !b.nested {
			return parse.Done, true
		}
		if parse.IsDigit(text[0]) && !b.captured && pytestOver(text) {
			return parse.Done, true
		}
	}
	return parse.Take, false
}

func (b *pytestDetail) read(text string) {
	if strings.HasPrefix(text, "E ") || text == "E" {
		b.marked(text[1:])
		b.inE = true
		return
	}
	b.inE = false
	if text == "" {
		return
	}
	if rest, ok := strings.CutPrefix(text, "  | "); ok { // an exception group
		text = rest
	}
	if file, line, ok := pythonFrame(text); ok {
		b.place(file, line)
		b.native = true
		return
	}
	switch text[0] {
	case ' ', '>', '_', '|', '+':
		if rest := strings.TrimSpace(text); b.expected && rest != "" && len(b.message) < 300 {
			b.message += " " + rest
		}
		return
	case '[':
		return // xdist's "[gw0] linux -- Python 3.11.2"
	}
	if file, line, rest, ok := pytestPlace(text); ok {
		b.place(file, line)
		b.placed = b.placed || !strings.HasPrefix(rest, "in ")
		// The place and the message come from a linter plugin.
		if b.first == "" && exceptionName(rest) != rest && !strings.HasPrefix(rest, "in ") {
			b.first = strings.TrimLeft(rest, "0123456789: ")
		}
		b.expected = false
		return
	}
	b.words(text)
}

// words reads a line of text that is neither indented nor a place.
func (b *pytestDetail) words(text string) {
	switch {
	case text == "Expected:" || text == "Expected nothing" || text == "Got:" || text == "Got nothing": // doctest
		b.message = strings.TrimSpace(b.message + " " + text)
		b.expected = true
	case strings.HasPrefix(text, "UNEXPECTED EXCEPTION: "):
		b.message = strings.TrimPrefix(text, "UNEXPECTED EXCEPTION: ")
	case strings.HasPrefix(text, "file ") && strings.Contains(text, ", line "):
		i := strings.LastIndex(text, ", line ")
		n, _ := parse.Number(text[i+7:])
		b.place(text[5:i], n)
	case isChainWord(text): // the test raised the last exception of the chain
		if b.d.Test != b.tail {
			b.d.File, b.d.Line = "", 0
		}
		b.native = false
	case strings.HasPrefix(text, "Traceback"):
		b.native = false
	case strings.HasPrefix(text, "worker '") && strings.Contains(text, "crashed while running"):
		b.message = text
		if i := strings.Index(text, "running '"); i > 0 {
			b.d.Test, b.named = strings.TrimSuffix(text[i+9:], "'"), true
		}
	case b.native:
		b.native = false
		b.message = text
	case b.first == "" && !parse.IsDigit(text[0]) && !strings.HasPrefix(text, "self = "):
		b.first = text
	}
}

// marked reads a line that pytest marked with "E".
func (b *pytestDetail) marked(text string) {
	text = strings.TrimSpace(text)
	if file, line, ok := pythonFrame("  " + text); ok { // a SyntaxError has a place of its own
		b.message, b.native = "", true
		if b.place(file, line); !isPythonLibrary(file) {
			b.d.File, b.d.Line = file, line
		}
		return
	}
	if b.native {
		if name := exceptionName(text); name != "" {
			b.message, b.native = text, false
		}
		return
	}
	if !b.inE {
		b.message = text
		return
	}
	if text != "" && len(b.message) < 200 && (b.message == "" || strings.HasSuffix(b.message, ":")) {
		b.message = strings.TrimSpace(b.message + " " + text)
	}
}

// place records a frame. The file of the event is the file of the first frame outside of libraries, usually the file of
// the test. The line is the line of the deepest frame in that file.
func (b *pytestDetail) place(file string, line int) {
	if strings.HasPrefix(file, "<") {
		return
	}
	if b.d.File == "" || b.d.Line == 0 && !isPythonLibrary(file) || isPythonLibrary(b.d.File) && !isPythonLibrary(file) {
		b.d.File, b.d.Line = file, line
		return
	}
	if file == b.d.File || strings.HasSuffix(file, "/"+b.d.File) {
		b.d.Line = line
	}
}

// finish copies what was read into the event.
func (b *pytestDetail) finish() {
	d := b.d
	d.Message = b.message
	if d.Message == "" {
		d.Message = b.first
	}
	if d.Message == "" {
		d.Message = "test failed"
	}
	if b.module != "" {
		d.Message += " (" + b.module + ")"
	}
	if b.named || b.tail == "" {
		return
	}
	name := cutAt(b.tail, '[')
	d.Test = strings.ReplaceAll(name, ".", "::") + b.tail[len(name):]
	file := d.File
	if b.p.root != "" {
		file = strings.TrimPrefix(file, b.p.root+"/")
	}
	if file != "" && !isPythonLibrary(file) && !parse.IsAbs(file) {
		d.Test = file + "::" + d.Test
	}
}

// pytestPlace reads "a.py:5: in f", "a.py:5: ValueError" and "a.py:5:".
func pytestPlace(text string) (file string, line int, rest string, ok bool) {
	for i := 0; i < len(text) && i < 400; i++ {
		if text[i] != ':' {
			continue
		}
		n, digits := parse.Number(text[i+1:])
		if digits == 0 {
			continue
		}
		rest = text[i+1+digits:]
		if rest != "" && rest[0] != ':' {
			continue
		}
		file = text[:i]
		if strings.ContainsAny(file, " \"'") && !strings.Contains(file, ".py") || !strings.ContainsAny(file, "./") {
			return "", 0, "", false
		}
		return file, n, strings.TrimSpace(strings.TrimPrefix(rest, ":")), true
	}
	return "", 0, "", false
}

// lineStyle returns the block between the title of a section and its first failure. With --tb=line all failures are in
// this block: "/a/b.py:5: ValueError: bad".
func (p *pytest) lineStyle(s *parse.Scan) func(parse.Line) parse.Verdict {
	return func(l parse.Line) parse.Verdict {
		text := strings.TrimRight(l.Text, " ")
		if text == "" {
			return parse.Take
		}
		file, line, message, ok := pytestPlace(text)
		if pytestOver(text) {
			p.reset()
			return parse.Last
		}
		if !ok || text[0] == ' ' || message == "" {
			return parse.Done
		}
		p.failed = true
		if isPythonLibrary(file) { // the list below names the test's file
			file, line = "", 0
		}
		d := s.Add(parse.Draft{Event: store.Event{File: file, Line: line, Message: message, Category: store.CategoryTest}})
		if list := strings.IndexByte("FE", p.section); list >= 0 && len(p.order[list]) < maxPytestTests {
			p.order[list] = append(p.order[list], d)
		}
		return parse.Take
	}
}

// pythonModule returns the dotted module name of a file.
func pythonModule(file string) string {
	name, ok := strings.CutSuffix(strings.ReplaceAll(file, `\`, "/"), ".py")
	if !ok || parse.IsAbs(name) {
		return ""
	}
	return strings.ReplaceAll(name, "/", ".")
}
