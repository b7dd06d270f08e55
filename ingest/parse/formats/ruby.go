package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// rubyFormat reads uncaught exceptions, and syntax errors and warnings of the Ruby interpreter.
var rubyFormat = parse.Format{
	Name:  "ruby",
	About: "Ruby: uncaught exceptions, syntax errors, warnings",
	Triggers: []string{
		":in `", ":in '", ": syntax error", ": syntax errors found", ": warning: ", " (LoadError)",
		"unterminated string meets end of file", "(SyntaxError)",
	},
	Starts: []string{"ruby: ", "cannot load such file -- "},
	New:    func() parse.Matcher { return new(ruby).match },
}

type ruby struct {
	last   string       // the last words of a thread that died, which are often repeated
	syntax *parse.Draft // the newest syntax error
}

func (r *ruby) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if message, ok := strings.CutPrefix(text, "ruby: "); ok && strings.HasSuffix(message, " (LoadError)") {
		s.Add(parse.Draft{Event: store.Event{Message: strings.TrimSuffix(message, " (LoadError)"), Code: "LoadError",
			Category: store.CategoryRuntime}})
		return true
	}
	if hasAnyPrefix(text, "ruby: invalid option ", "ruby: invalid switch ", "cannot load such file -- ") {
		s.Add(parse.Draft{Weight: parse.Likely, Event: store.Event{Category: store.CategoryRuntime,
			Message: strings.TrimSuffix(strings.TrimPrefix(text, "ruby: "), " (RuntimeError)")}})
		return true
	}
	p, rest, ok := rubyPlace(text)
	if !ok {
		return false
	}
	if strings.HasPrefix(rest, "in `") || strings.HasPrefix(rest, "in '") {
		return r.exception(s, l, p, rest)
	}
	switch {
	case !isRubyFile(p.File) && p.File != "-e":
	case strings.HasPrefix(rest, "syntax error"), strings.HasPrefix(rest, "unterminated "),
		strings.Contains(rest, "(SyntaxError)"):
		r.syntaxError(s, l, p, rest)
		return true
	case strings.HasPrefix(rest, "warning: ") && ownRubyFile(p.File):
		s.Add(parse.Draft{Event: store.Event{Severity: store.SeverityWarning, File: p.File, Line: p.Line,
			Message: rest[len("warning: "):], Category: store.CategoryCompile}})
		return true
	}
	return false
}

// exception reads "a.rb:3:in `m': message (NameError)", or "a.rb:3:in 'Object#m': message (NameError)" of Ruby 3.4, and
// the frames below.
func (r *ruby) exception(s *parse.Scan, l parse.Line, p parse.Place, rest string) bool {
	i := strings.Index(rest, "': ")
	if i < 0 {
		return false
	}
	message := rest[i+len("': "):]
	class := rubyClass(message)
	if class == "" && !strings.HasSuffix(message, ":") && l.Indent() > 0 {
		return false
	}
	b := &rubyException{s: s, at: p, message: strings.TrimSuffix(message, " ("+class+")"), class: class}
	b.start = l.N
	if class != "" {
		if message == r.last {
			return true
		}
		r.last = message
		b.add()
	}
	s.Block(b.line)
	return true
}

// rubyException reads the lines of an exception's message up to the line with the class, and then the frames.
type rubyException struct {
	s       *parse.Scan
	d       *parse.Draft
	at      parse.Place
	start   int
	message string
	class   string
	lines   int
	frames  bool
	trace   rubyTrace
}

func (b *rubyException) add() {
	b.trace.use(b.at)
	if strings.HasPrefix(b.at.File, "<internal:") {
		b.at = parse.Place{}
	}
	b.d = b.s.Add(parse.Draft{Weight: parse.Likely,
		Event: store.Event{File: b.at.File, Line: b.at.Line, Message: b.message, Code: b.class,
			Category: store.CategoryRuntime, LogLine: b.start}})
	if b.class == "SyntaxError" || b.class == "LoadError" {
		b.d.Category = store.CategoryCompile
	}
}

func (b *rubyException) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	b.lines++
	if b.d == nil { // the class is on a later line of the message
		if class := rubyClass(text); class != "" {
			b.class = class
			b.message += "\n" + strings.TrimSuffix(text, " ("+class+")")
			b.add()
			return parse.Take
		}
		if b.lines > 5 || text == "" || b.trace.add(text) {
			return parse.Done
		}
		b.message += "\n" + text
		return parse.Take
	}
	if frame, ok := strings.CutPrefix(text, "from "); ok && b.trace.add(frame) {
		b.frames = true
		if p := b.trace.first; p.File != "" {
			b.d.File, b.d.Line = p.File, p.Line
		}
		b.d.Extend(l)
		return parse.Take
	}
	switch {
	case strings.HasPrefix(text, "... ") && strings.HasSuffix(text, " levels..."):
		return parse.Take
	case b.frames:
		if _, rest, ok := rubyPlace(text); ok && rubyClass(rest) != "" { // the cause
			b.d.Extend(l)
			return parse.Take
		}
		return parse.Done
	case b.lines > 12:
		return parse.Done
	case text != "" && b.lines == 1 && !strings.HasPrefix(text, "^"):
		if _, _, ok := rubyPlace(text); ok {
			return parse.Done
		}
	}
	return parse.Pass
}

// syntaxError reads "a.rb:3: syntax error, unexpected `end'". Further errors of the parser in the same file belong to
// the first error if they follow within a few lines.
func (r *ruby) syntaxError(s *parse.Scan, l parse.Line, p parse.Place, rest string) {
	if r.syntax != nil && r.syntax.File == p.File && l.N <= r.syntax.LogLineEnd+4 {
		r.syntax.Extend(l)
		return
	}
	rest = strings.TrimSuffix(rest, " (SyntaxError)")
	r.syntax = s.Add(parse.Draft{Event: store.Event{File: p.File, Line: p.Line, Message: strings.TrimSuffix(rest, ":"),
		Category: store.CategoryCompile}})
}

// rubyPlace reads "file:line", "file:line: rest" or "file:line:in `m'". The result rest is the text after the
// line number and its colon, without blanks at the beginning.
func rubyPlace(text string) (p parse.Place, rest string, ok bool) {
	for i := 1; i < len(text) && i < 400; i++ {
		if text[i] != ':' || i+1 == len(text) || !parse.IsDigit(text[i+1]) {
			continue
		}
		line, n := parse.Number(text[i+1:])
		end := i + 1 + n
		if end < len(text) && text[end] != ':' {
			return parse.Place{}, text, false
		}
		file := text[:i]
		if strings.ContainsAny(file, "'\"`()=|") || strings.Contains(file, ": ") ||
			strings.Contains(file, " ") && !strings.HasPrefix(file, "/") || file[0] == '-' && len(file) > 2 {
			return parse.Place{}, text, false
		}
		return parse.Place{File: file, Line: line}, strings.TrimLeft(text[min(end+1, len(text)):], " "), true
	}
	return parse.Place{}, text, false
}

// rubyClass returns the class at the end of a message: "undefined method `x' (NoMethodError)". It returns "" if there
// is none.
func rubyClass(message string) string {
	if !strings.HasSuffix(message, ")") {
		return ""
	}
	i := strings.LastIndex(message, " (")
	if strings.HasPrefix(message, "(") && i < 0 {
		i = -1
	} else if i < 0 {
		return ""
	}
	class := message[i+2 : len(message)-1]
	if i < 0 {
		class = message[1 : len(message)-1]
	}
	if class == "" || class[0] < 'A' || class[0] > 'Z' || strings.ContainsFunc(class, func(r rune) bool {
		return r != ':' && r != '_' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
	}) {
		return ""
	}
	return class
}

func isRubyFile(file string) bool {
	return strings.HasSuffix(file, ".rb") || strings.HasSuffix(file, ".rake") || strings.HasSuffix(file, "file") ||
		strings.HasSuffix(file, ".gemspec") || strings.HasSuffix(file, ".ru") || strings.HasSuffix(file, ".erb")
}

// ownRubyFile reports whether a file belongs neither to a gem nor to Ruby.
func ownRubyFile(file string) bool {
	for _, part := range [...]string{"/gems/", "/lib/ruby/", "/rubygems", "/rubies/", "/vendor/bundle/", "/usr/bin/",
		"/bin/ruby_executable_hooks"} {
		if strings.Contains(file, part) {
			return false
		}
	}
	return !strings.HasPrefix(file, "<internal:") && !strings.HasPrefix(file, "(eval") && file != "-e"
}

// rubyTrace finds the place of a failure in its frames.
type rubyTrace struct {
	first, test parse.Place
}

// add reads a frame, "file:line:in `m'" or "file:line".
func (t *rubyTrace) add(text string) bool {
	p, rest, ok := rubyPlace(text)
	if !ok || rest != "" && !strings.HasPrefix(rest, "in ") {
		return false
	}
	t.use(p)
	return true
}

func (t *rubyTrace) use(p parse.Place) {
	if !ownRubyFile(p.File) {
		return
	}
	if t.first.File == "" {
		t.first = p
	}
	if t.test.File == "" && isRubyTest(p.File) {
		t.test = p
	}
}

// place returns the newest frame in a test. If there is none, it returns the newest frame in the project.
func (t *rubyTrace) place() parse.Place {
	if t.test.File != "" {
		return t.test
	}
	return t.first
}

func isRubyTest(file string) bool {
	base := file[strings.LastIndexByte(file, '/')+1:]
	return strings.HasSuffix(base, "_spec.rb") || strings.HasSuffix(base, "_test.rb") ||
		strings.HasPrefix(base, "test_") && strings.HasSuffix(base, ".rb")
}
