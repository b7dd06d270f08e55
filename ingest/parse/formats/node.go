package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// nodeFormat reads the lines that Node.js prints when an error ends a program: the place, the source line, a caret, and
// then the error and its stack trace. A program may also log an error with its stack trace, and go on. Therefore the
// events of these lines have the weight Likely. nodeFormat also reads warnings about unhandled rejections.
var nodeFormat = parse.Format{
	Name:  "node",
	About: "Node.js: uncaught errors, unhandled rejections, modules not found, out of memory",
	Triggers: []string{
		"Error: ", "Error [", "UnhandledPromiseRejection", "FATAL ERROR: ", "Cannot find module '", "DOMException: ",
	},
	Starts: []string{
		"internal/", "module.js:", "node:", "/", "file:///", "C:\\", "D:\\", "    at ", "   at ", "      at ",
		"events.js:", "fs.js:", "assert.js:", "child_process.js:", "    throw ",
	},
	New: func() parse.Matcher { return new(node).match },
}

type node struct {
	head     parse.Place // place of the newest line that is only "file:line"
	headLine int
	message  string // the newest line that may begin an error, until a frame follows
	at       int    // line number of message, 0 if there is none
}

// maxNodeMessage limits the number of lines between the first line of an error and the first frame of its stack. The
// limit is twice as high after a first line that ends with a colon.
const maxNodeMessage = 12

func (n *node) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if p, ok := nodeHead(l.Text); ok {
		n.head, n.headLine = p, l.N
		return false
	}
	if rest, ok := strings.CutPrefix(text, "FATAL ERROR: "); ok && strings.Contains(rest, "llocation failed") {
		s.Add(parse.Draft{Weight: parse.Likely, Event: store.Event{Message: rest, Category: store.CategoryRuntime}})
		return true
	}
	if i := strings.Index(text, "UnhandledPromiseRejectionWarning: "); i >= 0 && strings.HasPrefix(text, "(node:") {
		return n.rejection(s, text[i+len("UnhandledPromiseRejectionWarning: "):])
	}
	if strings.HasPrefix(text, "at ") {
		return n.frame(s, l)
	}
	message, ok := nodeError(text)
	if !ok || l.Indent() > 8 {
		return false
	}
	n.message, n.at = message, l.N
	fatal := n.headLine > 0 && l.N-n.headLine <= 8
	if !fatal && !strings.Contains(message, "Cannot find module '") || l.Level != "" {
		return false // the line is an error only if a stack follows
	}
	n.at = 0
	b := &nodeBlock{s: s, message: message, line: l.N, fatal: fatal}
	if fatal {
		b.head = n.head
		if ownJSFile(n.head.File) {
			b.line = n.headLine
		}
		n.headLine = 0
	}
	b.begin(l) // a missing module is an error even without a stack
	s.Block(b.next)
	return true
}

// frame begins an error when the first frame of its stack is read.
func (n *node) frame(s *parse.Scan, l parse.Line) bool {
	far := maxNodeMessage
	if strings.HasSuffix(n.message, ":") {
		far = 2 * maxNodeMessage // two source excerpts may follow
	}
	if n.at == 0 || l.N-n.at > far {
		return false
	}
	if _, ok := jsFrame(l.Text); !ok {
		return false
	}
	if d := s.Newest(); d != nil && d.LogLine == n.at && d.Weight == parse.Certain {
		return false // another format has already read the error
	}
	b := &nodeBlock{s: s, message: n.message, line: n.at}
	b.message += n.reason(s)
	n.at = 0
	b.begin(l)
	if b.d.File == "" {
		b.d.At(brokenFile(n.message), 0, 0)
	}
	b.next(l)
	s.Block(b.next)
	return true
}

// reason returns the last line of an error, if the first line ends with a colon, such as "JSON Error in /x/.eslintrc:".
// In this case only the last line says what is wrong. A source excerpt may be between the two lines.
func (n *node) reason(s *parse.Scan) (reason string) {
	if !strings.HasSuffix(n.message, ":") {
		return ""
	}
	for _, l := range s.Said(2 * maxNodeMessage) {
		if text := l.Trim(); l.N > n.at && text != "" && !isCodeFrame(text) {
			reason = "\n" + text
		}
	}
	return reason
}

// brokenFile returns the name of the configuration file in a message such as "YAML Error in /x/.eslintrc:". It returns
// "" for other messages.
func brokenFile(message string) string {
	if _, file, ok := strings.Cut(strings.TrimSuffix(message, ":"), " Error in "); ok {
		if file = strings.Trim(file, `"`); parse.IsFileName(file) {
			return file
		}
	}
	return ""
}

// rejection reads the warning about an unhandled rejection of a promise. Node.js before version 15 prints this warning,
// and the program goes on.
func (n *node) rejection(s *parse.Scan, message string) bool {
	if strings.HasPrefix(message, "Unhandled promise rejection") {
		return true
	}
	d := s.Add(parse.Draft{Event: store.Event{Severity: store.SeverityWarning, Message: message,
		Code: "UnhandledPromiseRejection", Category: store.CategoryRuntime}})
	jsStackBlock(s, d)
	return true
}

// nodeHead reads a line that is only a place: "/x/app.js:2". Node.js prints the source line below the place.
func nodeHead(text string) (parse.Place, bool) {
	if len(text) < 4 || len(text) > 500 || text[len(text)-1] < '0' || text[len(text)-1] > '9' ||
		strings.IndexByte(text, ' ') >= 0 {
		return parse.Place{}, false
	}
	i := strings.LastIndexByte(text, ':')
	if i < 0 || !parse.AllDigits(text[i+1:]) {
		return parse.Place{}, false
	}
	file := strings.TrimPrefix(text[:i], "file://")
	if !isJSFile(file) && !strings.HasPrefix(file, "node:") {
		return parse.Place{}, false
	}
	p := parse.Place{File: file}
	p.Line, _ = parse.Number(text[i+1:])
	return p, true
}

func isJSFile(f string) bool {
	return hasAnySuffix(f, ".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".mts", ".cts", ".json", ".coffee", ".vue")
}

// nodeError returns the first line of an error's stack, without "Uncaught " and an opening bracket before it. This line
// has the name of the error, perhaps a code in brackets, and usually a message. ok is false for other text.
func nodeError(text string) (message string, ok bool) {
	text = strings.TrimPrefix(text, "Uncaught ")
	text = strings.TrimPrefix(text, "[")
	name, rest, found := strings.Cut(text, ":")
	if !found {
		if text == "Error" || strings.HasPrefix(text, "UnhandledPromiseRejection") {
			return text, true
		}
		return "", false
	}
	if i := strings.Index(name, " ["); i > 0 && strings.HasSuffix(name, "]") {
		name = name[:i]
	}
	if rest != "" && rest[0] != ' ' || name == "" || name[0] < 'A' || name[0] > 'Z' || len(name) > 60 ||
		!isIdentifier(name) {
		return "", false
	}
	if !strings.HasSuffix(name, "Error") && name != "DOMException" && name != "UnhandledPromiseRejection" {
		return "", false
	}
	return text, true
}

func isIdentifier(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '_' && c != '$' && !parse.IsDigit(c) && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return true
}

// nodeBlock reads the lines of an error: the message and the stack trace.
type nodeBlock struct {
	s       *parse.Scan
	d       *parse.Draft
	message string
	head    parse.Place
	line    int // first line of the error
	fatal   bool
	trace   jsTrace
	before  int // message lines before the stack
	braces  bool
}

func (b *nodeBlock) begin(l parse.Line) {
	if b.message == "Error: error occurred in dts build" { // tsup has printed tsc's errors
		b.d = b.s.Add(parse.Draft{Weight: parse.Repeat, Event: store.Event{Tool: "tsup", Message: b.message,
			Category: store.CategoryBuild}})
		return
	}
	b.d = b.s.Add(parse.Draft{Weight: parse.Likely,
		Event: store.Event{Tool: "node", Message: b.message, Category: store.CategoryRuntime, LogLine: b.line,
			LogLineEnd: l.N}})
	if strings.HasPrefix(b.message, "SyntaxError") {
		b.d.Category = store.CategoryCompile
		b.d.At(b.head.File, b.head.Line, 0)
	} else if b.fatal && ownJSFile(b.head.File) {
		b.d.At(b.head.File, b.head.Line, 0)
	}
}

func (b *nodeBlock) next(l parse.Line) parse.Verdict {
	text := l.Trim()
	switch {
	case b.trace.add(text) || b.trace.seen && strings.HasPrefix(text, "at "):
		return b.frame(l, text)
	case b.trace.seen && b.braces:
		b.d.Extend(l)
		if l.Text == "}" {
			return parse.Last
		}
		return parse.Take
	case b.trace.seen && strings.HasPrefix(text, "... ") && strings.Contains(text, "stack trace"):
		return parse.Take
	case b.trace.seen && (text == "" || strings.HasPrefix(text, "Node.js v")):
		if text == "" {
			return parse.Take
		}
		b.d.Extend(l)
		return parse.Last
	case b.trace.seen:
		return parse.Done
	}
	if b.before++; b.before > maxNodeMessage {
		return parse.Done
	}
	return b.words(l, text)
}

// words reads a line between the first line of an error and its stack trace. The line is text of the message, or names
// a file that required a missing module.
func (b *nodeBlock) words(l parse.Line, text string) parse.Verdict {
	if file, ok := strings.CutPrefix(text, "- "); ok && isJSFile(file) && ownJSFile(file) {
		b.d.At(file, 0, 0)
	}
	if !b.fatal && b.before > 1 && text == "" {
		return parse.Take
	}
	b.d.Extend(l)
	if b.fatal && b.before < 4 && text != "" && !strings.HasPrefix(text, "- ") && text != "Require stack:" {
		b.d.Message += "\n" + text
	}
	return parse.Take
}

func (b *nodeBlock) frame(l parse.Line, text string) parse.Verdict {
	b.braces = strings.HasSuffix(text, " {")
	if p := b.trace.place(); p.File != "" &&
		(b.d.Line == 0 || b.d.Column == 0 && p.Line == b.d.Line && p.File == b.d.File) &&
		b.d.Category != store.CategoryCompile {
		b.d.File, b.d.Line, b.d.Column = p.File, p.Line, p.Column
	}
	b.d.Extend(l)
	return parse.Take
}
