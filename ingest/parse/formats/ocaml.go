package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// ocamlFormat reads the OCaml compilers, with or without dune, and opam.
var ocamlFormat = parse.Format{
	Name:     "ocaml",
	About:    "OCaml: compilers, dune, opam, uncaught exceptions",
	Triggers: []string{"Fatal error: exception "},
	Starts: []string{
		`File "`, `# File "`, "(cd _build/", "[ERROR] The compilation of ", "[ERROR] The installation of ",
		"[ERROR] Package conflict", "[ERROR] No package named ", "#=== ERROR while ",
	},
	Match: matchOCaml,
}

func matchOCaml(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if message, ok := strings.CutPrefix(text, "[ERROR] "); ok {
		w := parse.Certain
		if strings.HasPrefix(message, "The ") {
			w = parse.Repeat
		}
		s.Add(parse.Draft{Weight: w, Event: store.Event{Message: message, Tool: "opam", Category: store.CategoryBuild}})
		return true
	}
	if message, ok := strings.CutPrefix(text, "#=== ERROR while "); ok {
		s.Add(parse.Draft{Weight: parse.Repeat,
			Event: store.Event{Message: strings.TrimRight("ERROR while "+message, " =#"), Tool: "opam",
				Category: store.CategoryBuild}})
		return true
	}
	if i := strings.Index(text, "Fatal error: exception "); i >= 0 {
		ocamlUncaught(s, text[i+len("Fatal error: "):])
		return true
	}
	if strings.HasPrefix(text, "(cd _build/") { // dune prints its command below a line such as "   run out (exit 1)"
		if rule := before(s); strings.HasSuffix(rule, ")") && containsAny(rule, []string{" (exit ", " (got signal "}) {
			s.Add(parse.Draft{Weight: parse.Repeat,
				Event: store.Event{Tool: "dune", Message: rule + "\n" + text, Category: store.CategoryBuild,
					LogLine: l.N - 1, LogLineEnd: l.N}})
			return true
		}
	}
	prefix := ""
	if strings.HasPrefix(text, "# ") { // opam shows the output of a build with "# "
		prefix, text = "# ", text[2:]
	}
	head, ok := ocamlPlace.Read(text)
	if ok {
		head.LogLine, head.Category = l.N, store.CategoryCompile
		s.Block((&ocamlBlock{s: s, head: head, prefix: prefix}).line)
	}
	return ok
}

var ocamlPlace = parse.Lines{
	{Text: `File "{path}", {:lines|line} {line}{?-{#}}, characters {column}{?-{#}}:`, If: countFromOne},
	{Text: `File "{path}", {:lines|line} {line}{?-{#}}:`, If: isNoLog},
}

// ocamlUncaught reads an uncaught exception. A failed assertion has a place. The place of another exception is in the
// backtrace, which a program prints if OCAMLRUNPARAM has a "b".
func ocamlUncaught(s *parse.Scan, message string) {
	read, ok := ocamlFailed.Read(message)
	if !ok {
		read.Message = message
	}
	read.Weight, read.Category = parse.Likely, store.CategoryRuntime
	d := s.Add(read)
	s.Block(parse.Below{Starts: []string{"Raised ", "Re-raised ", "Called from "}, Lines: 60, Each: func(text string) {
		if at, ok := ocamlFrame.Read(text); ok && !strings.Contains(text, "Stdlib") {
			d.At(at.File, at.Line, at.Column)
		}
	}}.Block(d))
}

var ocamlFailed = parse.Lines{
	{Text: `^exception File "{path}", line {line}, characters {column}-{#}: {message}`, If: countFromOne},
	{Text: `^«exception Assert_failure»("{path}", {line}, {column})`, If: countFromOne},
}

var ocamlFrame = parse.Lines{
	{Text: `{_}file "{path}"{_}, line {line}, characters {column}-{#}`, If: countFromOne},
}

// countFromOne adds one to the column of a finding, because OCaml counts columns from 0. It returns false if the file
// is a log.
func countFromOne(d *parse.Draft) bool {
	d.Column++
	return isNoLog(d)
}

func isNoLog(d *parse.Draft) bool { return !strings.HasSuffix(d.File, ".log") }

// ocamlBlock reads the source and the message below a place.
type ocamlBlock struct {
	s      *parse.Scan
	head   parse.Draft
	prefix string
	d      *parse.Draft
	lines  int
	diff   bool // dune shows that a file is not the expected file
	hunk   func(parse.Line) parse.Verdict
}

func (b *ocamlBlock) line(l parse.Line) parse.Verdict {
	text, ok := strings.CutPrefix(l.Text, b.prefix)
	b.lines++
	if !ok || b.lines > 60 {
		return parse.Done
	}
	if b.diff = b.diff || b.d == nil && b.differs(text); b.diff {
		l.Text = text
		return b.changes(l)
	}
	if b.d != nil {
		if !strings.HasPrefix(text, " ") || strings.HasPrefix(text, " Hint:") {
			return parse.Done
		}
		b.d.Extend(l)
		if strings.Count(b.d.Message, "\n") < 4 {
			b.d.Message += "\n" + strings.TrimSpace(text)
		}
		return parse.Take
	}
	severity, code, message, ok := ocamlHead(text)
	if !ok {
		if strings.HasPrefix(text, "(cd _build/") { // the command with which dune 2 shows a diff
			return parse.Take
		}
		if text == "" || !isGutter(text) && !parse.IsCaret(text) && !parse.IsDigit(text[0]) && text[0] != ' ' &&
			text[0] != '.' {
			return parse.Done
		}
		return parse.Take
	}
	b.head.Severity, b.head.Code, b.head.Message, b.head.LogLineEnd = severity, code, message, l.N
	if strings.HasSuffix(b.head.File, ".v") {
		b.head.Tool = "coq"
	}
	b.d = b.s.Add(b.head)
	return parse.Take
}

// differs reports whether a line begins the diff of a promotion: a test whose output is in the source, or the action
// "diff" of a rule. The place above it is always the beginning of the file.
func (b *ocamlBlock) differs(text string) bool {
	return b.head.Line == 1 && b.head.Column == 1 && (hasAnyPrefix(text, "diff --git ", "--- ") ||
		strings.HasPrefix(text, "Files ") && strings.HasSuffix(text, " differ."))
}

// changes reads the lines of a diff.
func (b *ocamlBlock) changes(l parse.Line) parse.Verdict {
	if b.d == nil {
		b.head.Tool, b.head.Category, b.head.Message = "dune", store.CategoryTest, "the file differs"
		b.head.Column, b.head.LogLineEnd = 0, l.N
		b.d = b.s.Add(b.head)
		return parse.Take
	}
	if b.hunk != nil {
		if v := b.hunk(l); v != parse.Done {
			return v
		}
		b.hunk = nil
	}
	if h, ok := hunkAt(l.Text); ok {
		b.hunk = h.block(b.d)
	} else if !hasAnyPrefix(l.Text, "diff ", "old mode ", "new mode ", "index ", "--- ", "+++ ") {
		return parse.Done
	}
	b.d.Extend(l)
	return parse.Take
}

// ocamlHead reads "Error: message", "Error (warning 27 [unused-var]): message", "Warning 27 [unused-var]: message"
// and "Alert deprecated: message".
func ocamlHead(text string) (severity store.Severity, code, message string, ok bool) {
	head, message, ok := strings.Cut(text, ":")
	message = strings.TrimSpace(message)
	switch word, rest, _ := strings.Cut(head, " "); {
	case !ok:
	case word == "Error":
		return store.SeverityError, ocamlCode(strings.TrimPrefix(strings.Trim(rest, "()"), "warning ")), message, true
	case word == "Warning" || word == "Alert":
		return store.SeverityWarning, ocamlCode(rest), message, true
	}
	return "", "", "", false
}

// ocamlCode returns the name of a warning, or its number if it has no name: "27 [unused-var]".
func ocamlCode(code string) string {
	if _, name, ok := strings.Cut(code, "["); ok {
		return strings.TrimSuffix(name, "]")
	}
	return code
}
