// Package step derives a step from a command line. A step has a name and a shape. The name is one that a user would
// also choose. The shape distinguishes the step from other steps. The package may import internal/lazyregexp,
// internal/shellword and store.
//
// Two runs of a repository belong to the same step if they have the same name, shape, matrix leg, workflow and job (see
// store.Step). In doubt, two command lines are different steps.
package step

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Line is a command line, or a script of several lines.
type Line struct {
	text  string
	file  *syntax.File // nil for text that is not parsed as a shell script
	calls []call       // simple commands in order
	inner []call       // commands in $(…), and commands in here-documents for a shell
}

// call is a simple command. Its directory is relative to the line's directory.
type call struct {
	words []word
	dir   string
}

// word is a word of a simple command, with its place in the text.
type word struct {
	value    string
	from, to int
}

func (c call) values() []string {
	list := make([]string, len(c.words))
	for i, w := range c.words {
		list[i] = w.value
	}
	return list
}

// maxText is the max length of a script that is parsed. The beginning of a longer script is only split into lines and
// words, and the shape of the script is the whole text.
const maxText = 64 << 10

// maxNested is the max number of nested constructs in a script that is parsed. The parser is recursive, and a stack
// overflow would end the program.
const maxNested = 2000

// nests reports whether a script may be nested too deeply for the parser. It counts all brackets, operators and words
// of compound commands, even if they are not nested.
func nests(text string) bool {
	n := 0
	for i := range len(text) {
		if strings.IndexByte("({[`!~?=<|-+*\"", text[i]) >= 0 {
			n++
		}
	}
	for _, word := range []string{"if", "while", "until", "for", "case", "select", "time", "coproc", "function",
		"else", "do"} {
		n += strings.Count(text, word)
	}
	return n > maxNested
}

// Parse parses a command line as a shell script. If this is impossible, or if the script is too long or nested too
// deeply, Parse only splits the lines into words.
func Parse(text string) Line {
	l := Line{text: strings.ReplaceAll(text, "\r\n", "\n")}
	if len(l.text) <= maxText && !nests(l.text) {
		guard(l.parse)
		if l.file != nil {
			return l
		}
	}
	for line := range strings.Lines(l.text[:min(len(l.text), maxText)]) {
		if fields := strings.Fields(line); len(fields) > 0 && !strings.HasPrefix(fields[0], "#") {
			c := call{}
			for _, f := range fields {
				c.words = append(c.words, word{value: strings.Trim(f, `"'();`)})
			}
			l.calls = append(l.calls, c)
		}
	}
	return l
}

// parse parses the text as a shell script. It sets no field if the text is not a valid script.
func (l *Line) parse() {
	p := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true))
	file, err := p.Parse(strings.NewReader(l.text), "")
	if err != nil {
		return
	}
	calls, inner := callsOf(file, l.text), innerCalls(file, l.text)
	l.file, l.calls, l.inner = file, calls, inner
}

// strict makes guard pass panics on. Tests set it.
var strict = false

// guard calls f and recovers from a panic of f, because a command must run even if its step cannot be derived. If
// strict is set, guard does not recover.
func guard(f func()) {
	defer func() {
		if !strict {
			_ = recover()
		}
	}()
	f()
}

// reader collects the simple commands of a script.
type reader struct {
	text  string
	dir   string // directory of the next command, as far as plain cd commands show it
	calls []call
}

func callsOf(file *syntax.File, text string) []call {
	r := reader{text: text, dir: "."}
	r.stmts(file)
	return r.calls
}

// innerCalls returns the commands in $(…), and one call for each here-document (see hereDocument). It ignores the list
// of words of a for loop.
func innerCalls(file *syntax.File, text string) []call {
	r := reader{text: text, dir: "."}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.WordIter: // for x in $(seq 9)
			return false
		case *syntax.CmdSubst:
			for _, s := range n.Stmts {
				r.stmts(s)
			}
			return false
		case *syntax.Redirect:
			if n.Hdoc != nil {
				r.calls = append(r.calls, call{dir: ".", words: []word{{value: hereDocument}, {value: valueOf(n.Hdoc, text)}}})
				return false
			}
		}
		return true
	})
	return r.calls
}

func (r *reader) stmts(node syntax.Node) {
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.FuncDecl, *syntax.Word, *syntax.Assign, *syntax.Redirect:
			return false
		case *syntax.Subshell:
			outer := r.dir
			for _, s := range n.Stmts {
				r.stmts(s)
			}
			r.dir = outer
			return false
		case *syntax.CallExpr:
			r.call(n)
			return false
		}
		return true
	})
}

func (r *reader) call(n *syntax.CallExpr) {
	if len(n.Args) == 0 {
		return
	}
	c := call{dir: r.dir}
	for _, w := range n.Args {
		c.words = append(c.words, word{valueOf(w, r.text), int(w.Pos().Offset()), int(w.End().Offset())})
	}
	r.calls = append(r.calls, c)
	if to, ok := changes(c.values()); ok {
		r.dir = join(r.dir, to)
	}
}

// changes returns the directory to which a command changes. The second result is false if the command does not change
// the directory, or if the directory is unknown.
func changes(words []string) (string, bool) {
	if (words[0] == "cd" || words[0] == "pushd") && len(words) > 1 {
		to := words[len(words)-1]
		return to, isPlain(to) && !strings.HasPrefix(to, "-")
	}
	return "", false
}

// join returns a directory relative to another directory.
func join(dir, to string) string {
	if isAbsolute(to) {
		return to
	}
	return path.Join(dir, to)
}

func isAbsolute(dir string) bool {
	return strings.HasPrefix(dir, "/") || strings.HasPrefix(dir, "~") || len(dir) > 2 && dir[1] == ':' && dir[2] == '/'
}

// isPlain reports whether a word has no expansions, so that its value is known.
func isPlain(value string) bool { return !strings.ContainsAny(value, "$`*?<(") }

// valueOf returns the value of a word. Expansions in the word are not evaluated.
func valueOf(w *syntax.Word, text string) string {
	raw := text[w.Pos().Offset():w.End().Offset()]
	if isWindowsPath(raw) {
		return raw
	}
	var b strings.Builder
	for _, p := range w.Parts {
		part(&b, p, text, false)
	}
	return b.String()
}

func part(b *strings.Builder, p syntax.WordPart, text string, quoted bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		b.WriteString(unescape(p.Value, quoted))
	case *syntax.SglQuoted:
		b.WriteString(p.Value)
	case *syntax.DblQuoted:
		for _, inner := range p.Parts {
			part(b, inner, text, true)
		}
	default:
		b.WriteString(text[p.Pos().Offset():p.End().Offset()])
	}
}

// unescape removes the backslashes that a shell removes.
func unescape(s string, quoted bool) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && (!quoted || strings.IndexByte("$`\"\\\n", s[i+1]) >= 0) {
			i++
			if s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// isWindowsPath reports whether a word is a Windows path for a Windows shell: .\build.bat or C:\x.
func isWindowsPath(raw string) bool {
	raw = strings.TrimLeft(raw, ".")
	if len(raw) > 1 && raw[1] == ':' {
		raw = raw[2:]
	}
	return len(raw) > 1 && raw[0] == '\\' && raw[1] != '\n' && !strings.ContainsAny(raw, `"'`)
}
