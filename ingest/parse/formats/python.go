package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// pythonFormat reads messages of the Python interpreter itself: tracebacks, syntax errors, fatal errors and warnings.
var pythonFormat = parse.Format{
	Name:  "python",
	About: "Python: tracebacks, syntax errors, fatal errors, warnings with a place",
	Triggers: []string{"Traceback (most recent call last):",
		"During handling of the above exception, another exception occurred", "The above exception was the direct cause of",
		"Fatal Python error: ", ": No module named ", ": can't open file '", "Exception ignored in", "Warning: "},
	Starts: []string{`  File "`, "--- Logging error ---"},
	New:    func() parse.Matcher { return (&python{}).match },
}

// python keeps the lines that may come right before a traceback.
type python struct {
	last    *traceback // the newest traceback
	chained int        // number of the line that says that the next traceback continues the last one
	ignored int        // number of the line that says that an exception is ignored
	warned  map[string]bool
}

func (p *python) match(s *parse.Scan, l parse.Line) bool {
	text := l.Text
	switch {
	case isChainWord(strings.TrimSpace(text)):
		p.chained = l.N
		return true
	case strings.Contains(text, "Traceback (most recent call last):"):
		return p.traceback(s, l)
	case strings.HasPrefix(text, "Exception ignored in") || strings.HasPrefix(text, "--- Logging error"):
		p.ignored = l.N
		return true
	case strings.Contains(text, "Fatal Python error: "):
		return fatalPython(s, l)
	case strings.HasPrefix(text, "  File "):
		return syntaxError(s, l)
	case strings.Contains(text, "Warning: "):
		return p.warning(s, text)
	}
	before, message, ok := strings.Cut(text, ": ")
	if base := before[strings.LastIndexAny(before, `/\`)+1:]; !ok || !strings.HasPrefix(base, "python") ||
		strings.ContainsAny(base, " (") {
		return false
	}
	s.Add(parse.Draft{Weight: parse.Likely, Event: store.Event{Message: message, Category: store.CategoryRuntime}})
	return true
}

// maxWarned is the max number of warnings that are remembered. A remembered warning is not reported again. Python
// itself prints a warning only once per process, but a build has many processes.
const maxWarned = 1000

func (p *python) warning(s *parse.Scan, text string) bool {
	if p.warned[text] {
		return true
	}
	if addPythonWarning(s, text, store.CategoryRuntime) == nil {
		return false
	}
	if p.warned == nil || len(p.warned) >= maxWarned {
		p.warned = map[string]bool{}
	}
	p.warned[text] = true
	return true
}

// traceback opens a block for a traceback. Text before the title, such as the prefix of a log or blanks, may also come
// before the other lines of the traceback.
func (p *python) traceback(s *parse.Scan, l parse.Line) bool {
	i := strings.Index(l.Text, "Traceback (most recent call last):")
	prefix := strings.TrimSuffix(l.Text[:i], "+ Exception Group ")
	t := &traceback{start: l.N, group: len(prefix) < i}
	if p.chained > 0 && l.N-p.chained <= 3 && p.last != nil && p.last.d != nil {
		t.d, t.start = p.last.d, p.last.start
	}
	t.silent = p.ignored > 0 && l.N-p.ignored <= 2
	p.last, p.chained, p.ignored = t, 0, 0
	if strings.TrimSpace(prefix) == "" && t.group {
		prefix = strings.TrimSuffix(prefix, "  ")
	}
	s.Block(func(l parse.Line) parse.Verdict { return t.line(s, l, prefix) })
	return true
}

// traceback is the traceback that is being read.
type traceback struct {
	d       *parse.Draft
	start   int
	group   bool // an exception group; its lines begin with "  | "
	silent  bool // Python said that the program goes on
	frames  int
	file    string
	at      int
	library bool // the place is in a library
	over    bool // the line with the exception was read
}

// line reads a line of a traceback in a log.
func (t *traceback) line(s *parse.Scan, l parse.Line, prefix string) parse.Verdict {
	text, ok := strings.CutPrefix(l.Text, prefix)
	if !ok {
		if text = l.Text; strings.TrimSpace(prefix) == "" && strings.TrimSpace(text) != "" && !t.group {
			return parse.Done
		}
	}
	if t.over {
		if t.group && t.subException(text) {
			t.d.Extend(l)
			return parse.Take
		}
		if strings.TrimSpace(text) == "" && !t.silent {
			return parse.Pass
		}
		return parse.Done
	}
	if strings.TrimSpace(text) == "" {
		return parse.Pass
	}
	if t.group {
		text = strings.TrimPrefix(text, "  | ")
	}
	message := t.frame(text)
	if message == "" {
		if strings.TrimLeft(text, " \t") == text && !strings.HasPrefix(text, "Traceback") && text != "" {
			return parse.Done
		}
		return parse.Take
	}
	if exceptionName(message) == "" || t.frames == 0 {
		return parse.Done
	}
	t.over = true
	if t.silent {
		return parse.Last
	}
	if t.d == nil {
		t.d = s.Add(parse.Draft{Weight: parse.Likely, Event: store.Event{LogLine: t.start, Category: store.CategoryRuntime}})
	}
	t.fill(message)
	t.d.Extend(l)
	return parse.Take
}

// subException reads a line below the message of an exception group. It adds the group's first exception to the
// message. It returns false if the line does not belong to the group.
func (t *traceback) subException(text string) bool {
	rest := strings.TrimSpace(text)
	if rest == "" || (rest[0] != '|' && rest[0] != '+') {
		return false
	}
	if rest = strings.TrimPrefix(rest, "| "); exceptionName(rest) != "" && strings.HasSuffix(t.d.Message, ")") {
		t.d.Message += ": " + rest
	}
	return true
}

// read reads a line whose prefix was removed, for formats whose reports contain tracebacks. It returns true at the line
// with the exception.
func (t *traceback) read(text string) bool {
	message := t.frame(text)
	if message == "" || exceptionName(message) == "" || t.frames == 0 {
		return false
	}
	t.fill(message)
	return true
}

// frame reads a line of a traceback, and keeps the place of a frame. It returns a line that is not indented, because
// such a line may be the exception. It returns "" for any other line.
func (t *traceback) frame(text string) string {
	if file, line, ok := pythonFrame(text); ok {
		t.frames++
		library := isPythonLibrary(file)
		if t.file == "" || t.library || !library {
			t.file, t.at, t.library = file, line, library
		}
		return ""
	}
	if text == "" || text[0] == ' ' || text[0] == '\t' || strings.HasPrefix(text, "Traceback") {
		return ""
	}
	return text
}

// fill copies the exception and its place into the event. The place is the innermost frame of the user's code. If only
// libraries have frames, it is the innermost frame of all.
func (t *traceback) fill(message string) {
	t.d.Message = message
	if t.d.Code == "" || t.d.Category == store.CategoryRuntime && t.d.Code != "INTERNALERROR" {
		t.d.Code = exceptionName(message)
	}
	t.d.File, t.d.Line = t.file, t.at
	if strings.HasPrefix(t.file, "<") {
		t.d.File, t.d.Line = "", 0
	}
	t.file = ""
}

// pythonFrame reads `  File "a.py", line 5, in f`.
func pythonFrame(text string) (file string, line int, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimLeft(text, " \t|"), `File "`)
	if !ok || text[0] == 'F' {
		return "", 0, false
	}
	file, rest, ok = strings.Cut(rest, `", line `)
	if !ok {
		return "", 0, false
	}
	line, n := parse.Number(rest)
	return file, line, n > 0
}

func isChainWord(text string) bool {
	return strings.HasPrefix(text, "During handling of the above exception, another exception occurred") ||
		strings.HasPrefix(text, "The above exception was the direct cause of")
}

// exceptionName returns the class at the start of "pkg.SomeError: message", without its package. It returns "" if there
// is none.
func exceptionName(text string) string {
	name := text
	if i := strings.IndexByte(text, ':'); i >= 0 {
		name = text[:i]
		if i+1 < len(text) && text[i+1] != ' ' {
			return ""
		}
	}
	if name == "" || name[0] == '.' || parse.IsDigit(name[0]) || name[len(name)-1] == '.' {
		return ""
	}
	for i := range len(name) {
		if c := name[i]; !isWordByte(c) && c != '.' && c != '<' && c != '>' {
			return ""
		}
	}
	return name[strings.LastIndexByte(name, '.')+1:]
}

func isWordByte(c byte) bool {
	return parse.IsDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c >= 0x80
}

// isPythonLibrary reports whether a file belongs to Python or an installed package.
func isPythonLibrary(file string) bool {
	file = parse.Slash(file)
	for _, part := range [...]string{"site-packages/", "dist-packages/", "/lib/python", "/lib64/python",
		"hostedtoolcache/", "/.pyenv/versions/", "lib/importlib/", "/lib-python/", ".egg/"} {
		if strings.Contains(file, part) {
			return true
		}
	}
	return strings.HasPrefix(file, "<frozen") || strings.HasPrefix(file, "lib/python") ||
		strings.Contains(file, "/Lib/") || strings.Contains(file, ":/Python")
}

// syntaxError reads a syntax error. Its frame has no function: `  File "a.py", line 5`, the source, a caret, and
// "SyntaxError: …".
func syntaxError(s *parse.Scan, l parse.Line) bool {
	file, line, ok := pythonFrame(l.Text)
	if !ok || strings.Contains(l.Text, ", in ") || strings.HasSuffix(l.Text, ")") {
		return false
	}
	start, lines := l.N, 0
	s.Block(func(l parse.Line) parse.Verdict {
		lines++
		text := l.Trim()
		switch name := exceptionName(text); {
		case name == "SyntaxError" || name == "IndentationError" || name == "TabError":
			s.Add(parse.Draft{Weight: parse.Likely,
				Event: store.Event{File: file, Line: line, Message: text, Category: store.CategoryCompile, Code: name,
					LogLine: start, LogLineEnd: l.N}})
			return parse.Last
		case lines > 4 || text != "" && l.Indent() < 2:
			return parse.Done
		}
		return parse.Take
	})
	return true
}

// fatalPython reads "Fatal Python error: Segmentation fault" and the stacks below. The stack of the thread that crashed
// begins with "Current thread".
func fatalPython(s *parse.Scan, l parse.Line) bool {
	before, message, _ := strings.Cut(l.Text, "Fatal Python error: ")
	d := s.Add(parse.Draft{Weight: parse.Likely,
		Event: store.Event{Message: "Fatal Python error: " + message, Category: store.CategoryRuntime, Code: "fatal"}})
	if node := strings.TrimSpace(before); isNodeID(node) { // pytest -v had begun the line with a test
		d.Test, d.Category = node, store.CategoryTest
	}
	stacks, crashed, lines := 0, false, 0
	s.Block(func(l parse.Line) parse.Verdict {
		lines++
		text := l.Trim()
		if strings.Contains(text, "(most recent call first)") {
			if crashed {
				return parse.Done
			}
			stacks++
			if crashed = strings.HasPrefix(text, "Current thread"); crashed {
				d.File, d.Line = "", 0
			}
		} else if file, line, ok := pythonFrame(l.Text); ok {
			if !isPythonLibrary(file) {
				d.At(file, line, 0)
			}
		} else if text != "" && (stacks > 0 && l.Indent() == 0 || lines > 3 && stacks == 0) {
			return parse.Done
		}
		d.Extend(l)
		return parse.Take
	})
	return true
}

// addPythonWarning adds the warning in "a.py:5: DeprecationWarning: message". It leaves out warnings about libraries.
func addPythonWarning(s *parse.Scan, text string, category store.Category) *parse.Draft {
	file, line, rest, ok := pytestPlace(text)
	file = file[strings.LastIndexByte(file, ' ')+1:] // the name of a test may precede the file
	if !ok || !strings.Contains(file, ".py") || isPythonLibrary(file) {
		return nil
	}
	class, message, ok := strings.Cut(rest, ": ")
	if !ok || !strings.HasSuffix(class, "Warning") || exceptionName(class) == "" {
		return nil
	}
	return s.Add(parse.Draft{Event: store.Event{Severity: store.SeverityWarning, File: file, Line: line,
		Message: message, Code: exceptionName(class), Category: category}})
}
