package formats

import (
	"cmp"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// tapFormat reads the Test Anything Protocol: "not ok 3 - name", and the diagnostics below it as YAML or comments. A
// test with failed subtests only repeats them, so it is not an event of its own.
var tapFormat = parse.Format{
	Name:     "tap",
	About:    "Test Anything Protocol: tape, tap, node --test, ava --tap, QUnit, bats and others",
	Triggers: []string{"not ok ", "Bail out!", "# Subtest: "},
	Starts:   []string{"# ", "TAP version ", "ok "},
	New:      func() parse.Matcher { return new(tap).match },
}

type tap struct {
	name   string    // of tape: the newest "# name"
	names  [8]string // by depth: the newest "# Subtest: name"
	failed [8]bool
	braces [8]bool     // the subtests follow their test in braces
	died   parse.Draft // the error of a file that died, which node --test prints as comments

	begun   bool // a test point was read
	headed  bool // each test has a comment with its name above
	comment int  // line of the newest comment
}

func (t *tap) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case strings.HasPrefix(text, "TAP version "):
		*t = tap{}
		return true
	case strings.HasPrefix(text, "# Subtest: "):
		t.names[t.depth(l)], t.braces[t.depth(l)] = text[len("# Subtest: "):], false
		t.name = ""
		return true
	case strings.HasPrefix(l.Text, "# "):
		t.name, t.comment = tapeName(l.Text[2:]), l.N
		t.death(l.Text[2:], l)
		return false
	case strings.HasPrefix(text, "Bail out!"):
		s.Add(parse.Draft{Event: store.Event{Message: text, Category: store.CategoryTest}})
		return true
	case strings.HasPrefix(text, "ok ") && strings.HasSuffix(text, " {"):
		if name, ok := subtestsOf(text[len("ok "):]); ok {
			t.brace(l, name)
		}
		return false
	case strings.HasPrefix(l.Text, "ok "):
		t.begin(l)
		t.below(0)
		t.died = parse.Draft{}
		return false
	}
	rest, ok := strings.CutPrefix(text, "not ok ")
	if !ok || rest == "" {
		return false
	}
	if name, ok := subtestsOf(rest); ok {
		t.brace(l, name)
		return true
	}
	if l.Indent() == 2 && !parse.IsDigit(rest[0]) && rest[0] != '-' {
		tapClassic(s, l, rest)
		return false
	}
	t.begin(l)
	d, ok := t.point(rest, t.depth(l))
	if !ok {
		return rest != "" && parse.IsDigit(rest[0])
	}
	if diedLoading(s, "tap", d.Test, 15) {
		return true
	}
	b := &tapBlock{d: s.Add(d), indent: l.Indent(), died: t.died, headed: t.headed}
	t.died = parse.Draft{}
	s.Block(b.line)
	return true
}

// death reads the comments in which Node.js explains why it ended: the position and the error. They come before the
// test point of the file that failed.
func (t *tap) death(text string, l parse.Line) {
	if p, ok := nodeHead(text); ok {
		t.died = parse.Draft{Event: store.Event{LogLine: l.N}}
		if ownJSFile(p.File) {
			t.died.At(p.File, p.Line, 0)
		}
	} else if message, ok := nodeError(text); ok && t.died.LogLine > 0 && t.died.Message == "" {
		t.died.Message = message
	} else if p, ok := jsFrame(text); ok && t.died.Message != "" && t.died.Column == 0 && ownJSFile(p.File) {
		t.died.File, t.died.Line, t.died.Column = p.File, p.Line, p.Column
	}
}

// depth returns the number of tests that contain line l.
func (t *tap) depth(l parse.Line) int { return min(l.Indent()/4, len(t.failed)-1) }

// begin examines the line above the first test point. If this line is a comment with a name, the tests have headings.
func (t *tap) begin(l parse.Line) {
	t.headed = t.headed || !t.begun && t.name != "" && t.comment == l.N-1
	t.begun = true
}

// tapeName returns the name in a comment that tape prints before the assertions of a test, or "" for other comments.
func tapeName(comment string) string {
	if hasAnyPrefix(comment, "Subtest: ", "tests ", "pass ", "fail ", "TODO ", "SKIP ", "time=", "failed ", "skip ",
		"todo ", " ", "Start of ", "End of ", "random seed: ") { // the last three are GLib's
		return ""
	}
	return comment
}

// brace begins the subtests of a test that is above them.
func (t *tap) brace(l parse.Line, name string) {
	t.names[t.depth(l)], t.braces[t.depth(l)], t.name = name, true, ""
}

// below clears the failures of subtests that are nested deeper than the given depth. It reports whether there were
// any.
func (t *tap) below(depth int) bool {
	deeper := false
	for i := depth + 1; i < len(t.failed); i++ {
		deeper = deeper || t.failed[i]
		t.failed[i] = false
	}
	return deeper
}

// point reads the text after "not ok ". The result ok is false if the text is not a test point, if it has a directive
// TODO or SKIP, or if the test failed only because of its subtests.
func (t *tap) point(rest string, depth int) (d parse.Draft, ok bool) {
	_, n := parse.Number(rest)
	name := strings.TrimSpace(rest[n:])
	if n == 0 && !strings.HasPrefix(rest, "- ") {
		return parse.Draft{}, false
	}
	parent := t.below(depth) && !t.braces[depth]
	name, dash := strings.CutPrefix(name, "- ")
	name, directive := cutDirective(name)
	if directive != "" {
		return parse.Draft{}, false
	}
	t.failed[depth] = true
	if parent {
		return parse.Draft{}, false
	}
	e := store.Event{Category: store.CategoryTest, Test: name, Message: name}
	if t.name != "" && !dash { // in tape, the words of the assertion are the message
		e.Test = t.name
	}
	if test, ok := strings.CutPrefix(name, "test exited without ending: "); ok && !dash {
		e.Test, e.Message = test, name // tape names the test
	}
	if e.Message == "" {
		e.Test, e.Message = strings.TrimSpace("test "+rest[:n]), "not ok"
	}
	key := e.Test // without the parent tests, because prove prints the diagnostics separately
	if depth > 0 {
		e.Test = strings.Join(append(t.names[:depth:depth], e.Test), " > ")
	}
	return parse.Draft{Event: e, Key: key}, true
}

// subtestsOf returns the name of a test whose subtests follow in braces: "1 - name # time=2ms {".
func subtestsOf(rest string) (name string, ok bool) {
	rest, ok = strings.CutSuffix(rest, " {")
	_, n := parse.Number(rest)
	if !ok || n == 0 {
		return "", false
	}
	name, _ = cutDirective(strings.TrimPrefix(strings.TrimSpace(rest[n:]), "- "))
	return name, true
}

// cutDirective splits "name # TODO reason" or "name # SKIP reason". It also removes a time, such as "# time=2ms". Any
// other text after a hash belongs to the name.
func cutDirective(s string) (name, directive string) {
	i := strings.LastIndex(s, " #")
	if strings.HasPrefix(s, "#") {
		i = -1
		s = " " + s
		if after := strings.TrimSpace(s[2:]); hasFold(after, "todo") || hasFold(after, "skip") {
			return "", after
		}
	}
	if i < 0 {
		return strings.TrimSpace(s), ""
	}
	after := strings.TrimSpace(s[i+2:])
	switch {
	case hasFold(after, "todo"), hasFold(after, "skip"):
		return strings.TrimSpace(s[:i]), after
	case strings.HasPrefix(after, "time="):
		return strings.TrimSpace(s[:i]), ""
	}
	return strings.TrimSpace(s), ""
}

func hasFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// tapBlock reads the diagnostics of a failed test.
type tapBlock struct {
	d      *parse.Draft
	indent int
	yaml   bool
	ended  bool        // the YAML has ended, so comments belong to the next test
	want   string      // key whose value is on the next lines
	at     parse.Place // place from separate file, line and column keys
	trace  jsTrace
	msg    parse.Message
	lines  int
	died   parse.Draft

	headed  bool       // each test has a comment with its name above
	comment parse.Line // newest comment, which may be the message or the name of the next test
}

func (b *tapBlock) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	b.lines++
	if b.comment.N > 0 {
		if hasAnyPrefix(l.Text, "ok ", "not ok ") {
			return parse.Done
		}
		b.d.Message = b.comment.Trim()[2:]
		b.d.Extend(b.comment)
		b.comment = parse.Line{}
	}
	switch {
	case b.yaml && text == "...":
		b.d.Extend(l)
		b.yaml, b.ended = false, true
		return parse.Take
	case b.yaml && l.Indent() <= b.indent && hasAnyPrefix(text, "ok ", "not ok ", "# Subtest", "1.."): // no last line
		return parse.Done
	case b.yaml:
		b.d.Extend(l)
		b.key(text)
		return parse.Take
	case text == "---" && l.Indent() > b.indent:
		b.yaml = true
		return parse.Take
	case strings.HasPrefix(text, "#"):
		return b.diagnostic(l, strings.TrimSpace(text[1:]))
	case l.Indent() <= b.indent:
		return parse.Done
	}
	b.d.Extend(l)
	if b.trace.add(text) {
		b.place()
	} else if b.msg.Add(text); !b.trace.seen { // mocha's indented text
		b.d.Message = b.msg.String()
	}
	return parse.Take
}

// key reads a line of YAML: a message, a place, the type of a failure, or a frame of a stack. It ignores other keys.
func (b *tapBlock) key(text string) {
	key, value, ok := strings.Cut(text, ":")
	key = strings.Trim(key, " '\"")
	value = strings.TrimSpace(value)
	switch {
	case b.want == "message" && !(ok && tapKeys[key]):
		if b.msg.Add(text); !b.msg.Empty() {
			b.d.Message = b.msg.String()
		}
		return
	case b.trace.add(text), b.trace.add("at " + text): // tap and node omit "at "
		b.place()
		return
	}
	if !ok || !tapKeys[key] {
		return
	}
	b.want = ""
	switch key {
	case "message", "error":
		if strings.HasPrefix(value, "|") || strings.HasPrefix(value, ">") {
			b.want = "message"
			b.msg.Break() // the first of several messages counts
		} else if v := unquoteYAML(value); v != "" && v != "null" && b.msg.Empty() {
			if v == "test failed" && b.died.Message != "" && isJSFile(b.d.Test) {
				v = b.died.Message
				b.d.LogLine = b.died.LogLine
				b.d.File, b.d.Line, b.d.Column = cmp.Or(b.died.File, b.d.Test), b.died.Line, b.died.Column
			}
			b.msg.More(v)
			b.d.Message = v
		}
	case "failureType":
		if strings.Contains(value, "subtestsFailed") {
			b.d.Merged = true // node --test has reported the subtests
		}
	case "file":
		b.at.File = unquoteYAML(value)
	case "line":
		b.at.Line, _ = parse.Number(value)
	case "column":
		b.at.Column, _ = parse.Number(value)
	case "at", "location":
		if b.trace.add("at " + unquoteYAML(value)) {
			b.place()
		}
	}
	if b.at.File != "" && b.at.Line > 0 && !strings.Contains(b.at.File, "/node_modules/") { // nodeunit names itself
		b.d.File, b.d.Line, b.d.Column = b.at.File, b.at.Line, b.at.Column
	}
}

var tapKeys = map[string]bool{"message": true, "error": true, "failureType": true, "file": true, "line": true,
	"column": true, "at": true, "location": true,
	"stack": true, "code": true, "name": true, "expected": true, "actual": true, "operator": true, "severity": true,
	"duration_ms": true, "source": true, "diff": true, "compare": true, "details": true, "assertion": true}

func unquoteYAML(s string) string { return strings.Trim(s, `'"`) }

func (b *tapBlock) place() {
	if p := b.trace.place(); p.File != "" && (b.at.File == "" || b.d.File == "") {
		b.d.File, b.d.Line, b.d.Column = p.File, p.Line, p.Column
	}
}

// diagnostic reads a comment below a failure: "Failed test at FILE line N." of Test::More, or "(in test file FILE, line
// N)" of bats.
func (b *tapBlock) diagnostic(l parse.Line, text string) parse.Verdict {
	if b.yaml || b.ended || hasAnyPrefix(text, "Subtest: ", "tests ", "time=") ||
		b.d.Test != "" && strings.HasPrefix(text, "Looks like ") {
		return parse.Done
	}
	if i := strings.LastIndex(text, " line "); i > 0 {
		line, n := parse.Number(text[i+len(" line "):])
		file := strings.TrimSuffix(text[:i], ",")
		file = file[strings.LastIndexByte(file, ' ')+1:]
		if n > 0 && parse.IsFileName(file) {
			b.d.At(file, line, 0)
			b.d.Extend(l)
			return parse.Take
		}
	}
	if b.lines > 40 {
		return parse.Done
	}
	if b.headed && b.d.Message == b.d.Test && strings.HasPrefix(l.Text, "# ") && tapeName(l.Text[2:]) != "" {
		b.comment = l
		return parse.Pass
	}
	b.d.Extend(l)
	if rest, ok := strings.CutPrefix(text, "Failure message: "); ok { // printed by busted, below a line with the place
		if p, message, ok := parse.PlaceAt(rest); ok {
			b.d.At(p.File, p.Line, 0)
			rest = message
		}
		b.d.Message = rest
		return parse.Take
	}
	if !strings.HasPrefix(text, "Failed test") && !b.trace.add(text) && text != "" && b.d.Message == b.d.Test {
		b.d.Message = text
	}
	return parse.Take
}
