package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/internal/lazyregexp"
)

// jsFrame reads a line of a JavaScript stack trace: "at f (file:1:2)", "at file:1:2", "at async f (file:1:2)", "❯ f
// file:1:2" of vitest, and "f@file:1:2" of Firefox and Safari.
func jsFrame(text string) (parse.Place, bool) {
	text = strings.TrimSpace(text)
	rest, isV8 := strings.CutPrefix(text, "at ")
	if !isV8 {
		ok := false
		if rest, ok = strings.CutPrefix(text, "❯ "); ok {
			rest = rest[strings.LastIndexByte(rest, ' ')+1:]
		} else if i := strings.IndexByte(text, '@'); i >= 0 && strings.IndexByte(text, ' ') < 0 {
			rest = text[i+1:]
		} else {
			return parse.Place{}, false
		}
	}
	if strings.HasSuffix(rest, ")") {
		if i := strings.LastIndexByte(rest, '('); i >= 0 {
			rest = rest[i+1 : len(rest)-1]
		}
	}
	p, ok := jsPlace(strings.TrimPrefix(rest, "async "))
	if isV8 && p.Column == 0 {
		return parse.Place{}, false // frames of Java and others have no column
	}
	return p, ok
}

// jsPlace reads the "file:line:column" at the end of a frame.
func jsPlace(s string) (parse.Place, bool) {
	i := strings.LastIndexByte(s, ':')
	if i <= 0 || i+1 == len(s) || !parse.AllDigits(s[i+1:]) {
		return parse.Place{}, false
	}
	p := parse.Place{File: s[:i]}
	p.Line, _ = parse.Number(s[i+1:])
	if j := strings.LastIndexByte(p.File, ':'); j > 0 && j+1 < len(p.File) && parse.AllDigits(p.File[j+1:]) {
		p.Line, p.Column = 0, p.Line
		p.Line, _ = parse.Number(p.File[j+1:])
		p.File = p.File[:j]
	}
	p.File = jsFile(p.File)
	return p, p.File != "" && p.File != "<anonymous>" && !strings.ContainsAny(p.File, "\"'`<>*=")
}

// jsFile removes the prefix and the query that bundlers and test servers add to a file name. It returns "" for a URL
// without a path.
func jsFile(f string) string {
	f = strings.TrimPrefix(f, "file://")
	if i := strings.Index(f, "webpack:///"); i >= 0 {
		f = strings.TrimPrefix(f[i+len("webpack:///"):], "./")
	} else if rest, ok := strings.CutPrefix(f, "webpack://"); ok {
		if i := strings.Index(rest, "/"); i >= 0 {
			rest = rest[i+1:]
		}
		f = strings.TrimPrefix(rest, "./")
	} else if rest, ok := cutAny(f, "http://", "https://"); ok {
		i := strings.IndexByte(rest, '/')
		if i < 0 {
			return ""
		}
		f = rest[i+1:]
		f = strings.TrimPrefix(f, "base/") // karma serves the project under base/
		if strings.HasPrefix(f, "absolute/") {
			f = f[len("absolute"):]
		}
	}
	if i := strings.IndexByte(f, '?'); i > 0 {
		f = f[:i]
	}
	return f
}

// jsInternals are names in stack traces of old Node.js versions that are not files of the project. Newer versions print
// "node:" before the names of internal files.
var jsInternals = map[string]bool{"module.js": true, "vm.js": true, "timers.js": true, "events.js": true,
	"net.js": true, "fs.js": true,
	"bootstrap_node.js": true, "node.js": true, "util.js": true, "assert.js": true, "stream.js": true,
	"child_process.js": true, "domain.js": true,
	"_stream_readable.js": true, "_stream_writable.js": true, "_http_client.js": true, "_http_server.js": true,
	"_http_outgoing.js": true, "native": true, "evalmachine.<anonymous>": true}

// ownJSFile reports whether a frame's file belongs to the project, and not to Node.js, Deno, a dependency or a bundler.
func ownJSFile(f string) bool {
	return !jsInternals[f] && !strings.Contains(f, "node_modules/") && !strings.Contains(f, `node_modules\`) &&
		!strings.HasPrefix(f, "node:") && !strings.HasPrefix(f, "internal/") && !strings.HasPrefix(f, "ext:") &&
		!strings.Contains(f, "webpack/runtime")
}

// jsTrace finds the place of a failed test in its stack trace.
type jsTrace struct {
	first, test parse.Place
	seen        bool // a frame was read
}

// add reads a line and reports whether it was a frame.
func (t *jsTrace) add(text string) bool {
	p, ok := jsFrame(text)
	if !ok {
		return isFrameText(text) && t.mark()
	}
	t.seen = true
	if !ownJSFile(p.File) {
		return true
	}
	if t.first.File == "" {
		t.first = p
	}
	if t.test.File == "" && looksLikeTest(p.File) {
		t.test = p
	}
	return true
}

func (t *jsTrace) mark() bool {
	t.seen = true
	return true
}

// isFrameText reports whether a line is a frame without a place, such as "at Array.forEach (<anonymous>)" or "at new
// Promise (native)".
func isFrameText(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "at ") &&
		(strings.HasSuffix(text, "(<anonymous>)") || strings.HasSuffix(text, "(native)") ||
			strings.HasSuffix(text, "[as next]"))
}

// tell sets the place of d to the place of the trace, if there is one.
func (t *jsTrace) tell(d *parse.Draft) {
	if p := t.place(); p.File != "" {
		d.File, d.Line, d.Column = p.File, p.Line, p.Column
	}
}

// tellIn sets the line and column of d to those of the frame that place returns, if d and the frame have the same file.
func (t *jsTrace) tellIn(d *parse.Draft) {
	if p := t.place(); isSameFile(p.File, d.File) {
		d.Line, d.Column = p.Line, p.Column
	}
}

// isSameFile reports whether the file of a frame can be the given file. file is relative to the project.
func isSameFile(frame, file string) bool {
	return frame == file || strings.HasSuffix(frame, "/"+file)
}

// place returns the innermost frame in a test file. If there is none, it returns the innermost frame of the project.
func (t *jsTrace) place() parse.Place {
	if t.test.File != "" {
		return t.test
	}
	return t.first
}

func looksLikeTest(f string) bool {
	f = strings.ToLower(f)
	return strings.Contains(f, "test") || strings.Contains(f, "spec") || strings.Contains(f, "cypress")
}

// isCodeFrame reports whether a line belongs to a source excerpt of Babel, jest or others: "> 12 | x", "     | ^" or
// "  13 | y".
func isCodeFrame(text string) bool {
	text = strings.TrimLeft(strings.TrimPrefix(strings.TrimLeft(text, " \t"), ">"), " \t")
	_, n := parse.Number(text)
	rest, ok := cutAny(strings.TrimLeft(text[n:], " \t"), "|", "│")
	return ok && (rest == "" || rest[0] == ' ')
}

// trailingDuration matches the duration that test runners print after a name: "(5 ms)", "(1.2s)", "12ms".
var trailingDuration = lazyregexp.New(`\s*\(\d[\d.,]*\s?(ms|s|m|min|sec)( [^)]*)?\)$|\s+\d[\d.]*\s?m?s$`)

func cutDuration(s string) string {
	if loc := trailingDuration.FindStringIndex(s); loc != nil {
		return strings.TrimRight(s[:loc[0]], " ")
	}
	return s
}

// firstLines returns the first paragraph of a message.
func firstLines(message string) string {
	var m parse.Message
	for line := range strings.Lines(message) {
		if _, ok := jsFrame(line); ok || m.Ended() {
			break
		}
		m.Add(line)
	}
	return m.String()
}

// said remembers the reports of a test runner. The runner prints each report again as a workflow command of GitHub. A
// downloaded log shows only the first line of such a command.
type said map[string]bool

const maxSaid = 5000

func (s said) add(titleOrMessage string) {
	if line, _, _ := strings.Cut(titleOrMessage, "\n"); line != "" && s != nil && len(s) < maxSaid {
		s[line] = true
	}
}

// again reports whether line l is an annotation that repeats an earlier report.
func (s said) again(l parse.Line) bool {
	text := l.Trim()
	if l.Level == "error" {
		return s[text]
	}
	return strings.HasPrefix(text, "::error ") && s[annotationTitle(text)]
}

// annotationTitle returns the title of "::error file=a.js,title=x,line=1::message".
func annotationTitle(text string) string {
	_, title, _ := strings.Cut(text, "title=")
	title, _, _ = strings.Cut(title, "::")
	if i := strings.LastIndex(title, ",line="); i > 0 {
		title = title[:i]
	}
	return unescapeCommand(title)
}

// accountLine reads a line of a failure's details, which are indented by at least four blanks. v is the verdict about
// the line. If wantsText is true, the line has text that the caller must read. Otherwise the line is blank, or does not
// belong to the details.
func accountLine(d *parse.Draft, msg *parse.Message, l parse.Line) (text string, v parse.Verdict, wantsText bool) {
	text = l.Trim()
	switch {
	case text == "":
		msg.Add("")
		return text, parse.Take, false
	case l.Indent() < 4:
		return text, parse.Done, false
	}
	d.Extend(l)
	return text, parse.Take, true
}
