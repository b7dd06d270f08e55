package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// viteFormat reads the errors that end a build of Vite, Rollup or Rolldown.
var viteFormat = parse.Format{
	Name:     "vite",
	About:    "Vite, Rollup and Rolldown: the errors that ended the build",
	Triggers: []string{"Build failed with "},
	Starts:   []string{"error during build:", "build error:", "[!] ", "(!) Found dead link "},
	Lines: parse.Lines{
		{Text: "(!) «Found dead link {_}» in file {file}", Tool: "vitepress", Category: store.CategoryLint},
	},
	Match: matchVite,
}

func matchVite(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if strings.Contains(text, "Build failed with ") {
		return matchRolldown(s, text)
	}
	if strings.HasPrefix(text, "build error:") && text != "build error:" {
		return false
	}
	b := &viteBlock{s: s}
	d := parse.Draft{Event: store.Event{Category: store.CategoryCompile}}
	if rest, ok := strings.CutPrefix(text, "[!] "); ok {
		if name, _, ok := strings.Cut(rest, ": "); !hasAnyPrefix(rest, "(plugin ", "Warnings occurred and --failAfter") &&
			(!ok || !strings.HasSuffix(name, "Error") || !isIdentifier(name)) {
			return false // CocoaPods begins its messages in the same way
		}
		d.Tool = "rollup"
		b.d = s.Add(d)
		b.words(rest)
	} else {
		b.d = s.Add(d)
	}
	s.Block(b.line)
	return true
}

// isRollupFrame reports whether a line is part of the source excerpt: "2: const x = ;".
func isRollupFrame(text string) bool {
	_, n := parse.Number(text)
	return n > 0 && strings.HasPrefix(text[n:], ": ")
}

type viteBlock struct {
	s     *parse.Scan
	d     *parse.Draft
	items bool // the errors are a list of Rolldown
	msg   parse.Message
	trace jsTrace
	lines int
}

func (b *viteBlock) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	b.lines++
	switch {
	case text == "":
		b.msg.Break()
		return parse.Take
	case countsErrors(text):
		b.items = true
	case b.items && b.item(l, text):
	case b.trace.add(text):
		b.d.Extend(l)
		return parse.Take
	case b.trace.seen && !strings.HasPrefix(text, "[cause]"), b.lines > 60,
		hasAnyPrefix(text, "npm ERR!", "npm error", "error Command"):
		return parse.Done
	case strings.HasPrefix(text, "file: "):
		b.file(text[len("file: "):])
	case rollupPlace(b.d, text):
	case b.d.Tool == "rollup" && b.d.File == "" && b.lines == 1 && isSourceName(text): // the module, without a place
		b.d.At(text, 0, 0)
		b.msg.End()
	case isCodeFrame(text), isRollupFrame(text), strings.Trim(text, "^~ ") == "":
		b.msg.End()
	default:
		b.words(text)
	}
	b.d.Extend(l)
	return parse.Take
}

func (b *viteBlock) file(s string) {
	b.msg.End()
	if p, ok := jsPlace(s); ok && (b.d.Line == 0 || b.d.File == "") {
		b.d.File, b.d.Line, b.d.Column = p.File, p.Line, p.Column
	} else {
		b.d.At(s, 0, 0)
	}
}

// words adds a line to the message. Before the text of the first line may be names of errors such as "Error: ", and a
// place: "src/b.js (1:10): Expression expected".
func (b *viteBlock) words(text string) {
	if b.msg.Ended() {
		return
	}
	first := b.msg.Empty()
	for first {
		// A plugin of Vite may be named twice.
		rest, ok := cutAny(text, "RollupError: ", "Error: ", "SyntaxError: ", "[vite:vue] [plugin vite:vue] ")
		if !ok {
			break
		}
		text = rest
	}
	if at, rest, ok := strings.Cut(text, "): "); ok && first && rollupPlace(b.d, at+")") {
		text = rest
	}
	if text == b.d.Message { // VitePress prints the message again above the stack trace
		return
	}
	b.msg.Add(text)
	b.d.Message = b.msg.String()
	if strings.HasSuffix(text, " dead link(s) found.") {
		b.d.Weight = parse.Repeat
	}
}

// rollupPlace reads "src/b.js (2:10)".
func rollupPlace(d *parse.Draft, text string) bool {
	file, at, ok := strings.Cut(text, " (")
	line, n := parse.Number(at)
	if !ok || n == 0 || n >= len(at) || at[n] != ':' || !strings.HasSuffix(at, ")") || !parse.IsFileName(file) {
		return false
	}
	column, _ := parse.Number(at[n+1:])
	d.At(file, line, column)
	return true
}
