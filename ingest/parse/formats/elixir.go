package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// elixirFormat reads the Elixir compiler, mix, uncaught exceptions, Credo and Dialyxir.
var elixirFormat = parse.Format{
	Name:  "elixir",
	About: "Elixir: compiler, mix, uncaught exceptions, Credo, Dialyxir",
	Triggers: []string{".ex:", ".exs:", "└─ ", "** (", "warning: ", "┃ [", " (.ex)",
		"due to warnings while using the --warnings-as-errors option"},
	Starts: []string{"== Compilation error in file ", "could not compile dependency ", "error: ", "    error: ",
		"Unchecked dependencies for environment "},
	Lines: parse.Lines{ // Dialyxir
		{Text: "^{place:.ex|.exs}: {message}", Tool: "dialyzer", Category: store.CategoryType, Weight: parse.Likely,
			If: func(d *parse.Draft) bool { return isDialyzer(d.Message) }},
		{Text: "^{file:.ex|.exs}:{line}:{code}", Tool: "dialyzer", Category: store.CategoryType, Weight: parse.Likely,
			If: isDialyxirCode, Below: parse.Below{Lines: 1, Join: " "}.Pattern},
		{Text: "^{file:.ex|.exs}:{line}:{column}:{code}", Tool: "dialyzer", Category: store.CategoryType,
			Weight: parse.Likely, If: isDialyxirCode, Below: parse.Below{Lines: 1, Join: " "}.Pattern},
	},
	New: func() parse.Matcher { return new(elixir).match },
}

// isDialyxirCode reports whether the code of a finding is the name of a warning, such as pattern_match.
func isDialyxirCode(d *parse.Draft) bool {
	return strings.Contains(d.Code, "_") && strings.Trim(d.Code, "abcdefghijklmnopqrstuvwxyz_") == ""
}

// elixir keeps the newest "warning: message", because the place of a message comes below the message. It also keeps the
// warnings, because they may make mix fail.
type elixir struct {
	severity store.Severity
	message  string
	at       int // line of the message, 0 for none
	warned   []*parse.Draft
}

// maxElixirWarnings is the max number of warnings that are kept.
const maxElixirWarnings = 1000

// maxElixirBox is the max number of lines between a message and its place.
const maxElixirBox = 30

func (e *elixir) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	// If mix asks a question and gets no answer, its error is on the line of the question.
	if i := strings.Index(text, "** (Mix) "); i > 0 && strings.HasSuffix(text[:i], "] ") {
		return elixirException(s, l, text[i:])
	}
	switch {
	case strings.HasPrefix(text, "** ("):
		return elixirException(s, l, text)
	case strings.HasPrefix(text, "┃ ["):
		return credoIssue(s, text)
	case strings.HasPrefix(text, "Unchecked dependencies for environment "):
		s.Block(mixDependencies(s))
		return true
	case strings.HasPrefix(text, "== Compilation error in file "):
		return true // the exception follows
	case strings.HasPrefix(text, "Compiling ") && strings.HasSuffix(text, " (.ex)"):
		e.warned = nil // of a dependency, whose warnings are none of this project's
		return false
	case strings.HasSuffix(text, " due to warnings while using the --warnings-as-errors option"):
		for _, d := range e.warned {
			d.Severity = store.SeverityError
		}
		e.warned = nil
		return true
	case strings.HasPrefix(text, "could not compile dependency "):
		s.Add(parse.Draft{Weight: parse.Repeat,
			Event: store.Event{Message: text, Tool: "mix", Category: store.CategoryBuild}})
		return true
	}
	if severity, message, ok := parse.SeverityAt(text); ok && l.Indent() <= 4 {
		e.severity, e.message, e.at = severity, message, l.N
		return false
	}
	if e.at == 0 || l.N > e.at+maxElixirBox {
		return false
	}
	box := strings.HasPrefix(text, "└─ ")
	p, _, ok := parse.PlaceAt(strings.TrimPrefix(text, "└─ "))
	if !ok || !isElixirFile(p.File) || !box && l.Indent() != 2 {
		return false
	}
	d := s.Add(parse.Draft{Event: store.Event{Severity: e.severity, File: p.File, Line: p.Line, Column: p.Column,
		Message: e.message, Category: store.CategoryCompile,
		LogLine: e.at, LogLineEnd: l.N}})
	if d.Severity == store.SeverityWarning && len(e.warned) < maxElixirWarnings {
		e.warned = append(e.warned, d)
	}
	e.at = 0
	return true
}

func isElixirFile(file string) bool {
	return hasAnySuffix(file, ".ex", ".exs", ".eex", ".heex", ".leex")
}

// elixirException reads "** (RuntimeError) message" and the stack trace below. Exceptions of the compiler and of mix
// end the command. Other exceptions may be logged by processes that tests kill on purpose.
func elixirException(s *parse.Scan, l parse.Line, text string) bool {
	kind, message, ok := strings.Cut(text[len("** ("):], ") ")
	if !ok || kind == "" || strings.ContainsAny(kind, "(\"'") || l.Indent() > 0 {
		return false
	}
	d := parse.Draft{Weight: parse.Likely,
		Event: store.Event{Message: "(" + kind + ") " + message, Category: store.CategoryRuntime}}
	switch kind {
	case "Mix":
		d.Weight, d.Message, d.Tool, d.Category = parse.Certain, message, "mix", store.CategoryBuild
		switch {
		case strings.HasPrefix(message, "mix format failed"):
			d.Category, d.Code = store.CategoryLint, "format"
		case strings.HasPrefix(message, "Can't continue due to errors on dependencies"):
			d.Weight = parse.Repeat
		}
	case "CompileError", "SyntaxError", "TokenMissingError", "MismatchedDelimiterError", "Code.LoadError",
		"EEx.SyntaxError":
		d.Weight, d.Category = parse.Certain, store.CategoryCompile
		p, rest, placed := parse.PlaceAt(strings.TrimPrefix(message, "invalid syntax found on "))
		switch {
		case placed && rest != "":
			d.File, d.Line, d.Column, d.Message = p.File, p.Line, p.Column, rest
		case placed:
			d.File, d.Line, d.Column = p.File, p.Line, p.Column
		case strings.HasSuffix(message, "(errors have been logged)"):
			d.Weight = parse.Repeat
		}
	}
	b := &elixirTrace{s: s, d: s.Add(d), kind: kind, bare: d.File == ""}
	s.Block(b.line)
	return true
}

// elixirTrace reads the indented lines below an exception.
type elixirTrace struct {
	s     *parse.Scan
	d     *parse.Draft
	kind  string
	bare  bool // the message has no place
	blank bool
	files int
}

func (b *elixirTrace) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	switch {
	case b.kind == "Mix":
		return b.mix(l, text)
	case text == "":
		if b.blank && !strings.HasSuffix(b.d.Message, ":") {
			return parse.Done
		}
		b.blank = true
		return parse.Take
	case l.Indent() < 2:
		return parse.Done
	}
	b.d.Extend(l)
	if message, ok := strings.CutPrefix(text, "error: "); ok {
		b.d.Message = message
	} else if detail, ok := strings.CutPrefix(text, "* "); ok && strings.HasSuffix(b.d.Message, ":") {
		b.d.Message += "\n" + detail
	}
	// A place after the name of a library is not in the project: "(stdlib 4.2) lists.erl:1: …".
	if p, _, ok := parse.PlaceAt(text); ok && b.bare && text[0] != '(' {
		b.d.At(p.File, p.Line, p.Column)
	}
	return parse.Take
}

// mix reads mix's list of unformatted files.
func (b *elixirTrace) mix(l parse.Line, text string) parse.Verdict {
	if b.d.Code != "format" {
		return parse.Done
	}
	file, ok := strings.CutPrefix(text, "* ")
	switch {
	case ok && b.files == 0:
		b.d.Extend(l)
		b.d.At(file, 0, 0)
		b.files++
	case ok:
		e := b.d.Event
		e.File, e.LogLine, e.LogLineEnd = file, 0, 0
		b.s.Add(parse.Draft{Event: e})
	case text != "" && !strings.HasPrefix(text, "The following files") || b.files > 0:
		return parse.Done
	}
	return parse.Take
}

// mixDependencies returns the block that reads mix's list of dependencies: "* jason (Hex package)", and the problem
// below it.
func mixDependencies(s *parse.Scan) func(parse.Line) parse.Verdict {
	var d *parse.Draft
	return func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if name, ok := strings.CutPrefix(l.Text, "* "); ok {
			d = s.Add(parse.Draft{Event: store.Event{Tool: "mix", Message: name + ":", Category: store.CategoryBuild}})
			return parse.Take
		}
		if d == nil || l.Indent() < 2 || text == "" {
			return parse.Done
		}
		if l.N <= d.LogLine+parse.MaxMessageLines {
			d.Message += " " + text
		}
		d.Extend(l)
		return parse.Take
	}
}

// credoIssue reads "┃ [W] ↗ message". The place is in the line below.
func credoIssue(s *parse.Scan, text string) bool {
	rest := text[len("┃ ["):]
	if len(rest) < 3 || rest[1] != ']' || !strings.Contains("WRFCDE", rest[:1]) {
		return false
	}
	message := strings.TrimLeft(rest[2:], " ↑↗→↘↓")
	d := s.Add(parse.Draft{Event: store.Event{Severity: store.SeverityWarning, Message: message, Tool: "credo",
		Code: rest[:1], Category: store.CategoryLint}})
	s.Block(func(l parse.Line) parse.Verdict {
		p, _, ok := parse.PlaceAt(strings.TrimLeft(l.Trim(), "┃ "))
		if !ok {
			if strings.HasPrefix(l.Trim(), "┃  ") { // more of the message
				return parse.Take
			}
			return parse.Done
		}
		d.At(p.File, p.Line, p.Column)
		d.Extend(l)
		return parse.Last
	})
	return true
}
