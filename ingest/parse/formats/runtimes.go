package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// runtimeFormat reads uncaught errors that end programs in Ada, Crystal, D, Fortran, Haskell, Nim and Pascal. Such an
// error has the weight Likely, because a test may start such a program on purpose. runtimeFormat also reads unit tests
// of D, Nim and Pascal, and the errors of the Free Pascal compiler.
var runtimeFormat = parse.Format{
	Name:  "runtime",
	About: "programs in Ada, Crystal, D, Fortran, Haskell, Nim, Pascal: uncaught errors; Nim's unittest, FPCUnit",
	Triggers: []string{"Exception@", "Error@", "): [unittest] ", " modules FAILED unittests",
		"CallStack (from HasCallStack)",
		": Non-exhaustive patterns in ", ".pas(", ".lpr(", "): Check failed: ", "Error: unhandled exception: ",
		"    Unhandled exception: ",
		"Error: execution of an external program failed: ", " returned an error exitcode"},
	Starts: []string{"Fortran runtime error: ", "ERROR STOP", "raised ", "Runtime error ", "Fatal: ",
		"Unhandled exception: ", "An unhandled exception occurred at $", "  Failure: ", "  Error: ", "  Ignored test: "},
	Lines: parse.Lines{
		{Text: "^{code}@{place:.d|.di}{message}", Tool: "d", Category: store.CategoryRuntime, Weight: parse.Likely,
			If: isThrown},
		{Text: "^{place:.d}[unittest] {message}", Tool: "d", Category: store.CategoryTest},
		{Text: "^{#}/{#} modules FAILED unittests", Tool: "d", Message: "modules failed unit tests",
			Category: store.CategoryTest, Weight: parse.Repeat},
		{Text: "^raised {code} : {?{place:.adb|.ads}}{message}", Tool: "ada", Category: store.CategoryRuntime,
			Weight: parse.Likely, If: isAdaException},
		{Text: "^{place:.pas|.pp|.lpr|.inc}Fatal: «There were {*}»", Tool: "fpc", Category: store.CategoryCompile,
			Weight: parse.Repeat},
		{Text: "^{place:.pas|.pp|.lpr|.inc}{severity:Fatal=error|Error|Warning|Note|Hint=info}: {message}", Tool: "fpc",
			Category: store.CategoryCompile},
		{Text: "^Fatal: «{:Compilation aborted|There were }{*}»", Tool: "fpc", Category: store.CategoryCompile,
			Weight: parse.Repeat},
		{Text: "^Fatal: «{:Cannot|Can't} open file {*}»", Tool: "fpc", Category: store.CategoryCompile},
		{Text: "^Error: «{_}/ppc{_} returned an error exitcode»", Tool: "fpc", Category: store.CategoryCompile,
			Weight: parse.Repeat},
		{Text: "^«Runtime error {#}» at ${*}", Tool: "fpc", Category: store.CategoryRuntime, Weight: parse.Likely,
			Below: pascalFrames},
		{Text: "^«An unhandled exception occurred» at ${*}:", Tool: "fpc", Category: store.CategoryRuntime,
			Weight: parse.Likely, Below: pascalException},
		{Text: "^«{test}: {_}.hs:{_}: Non-exhaustive patterns in {*}»", Tool: "haskell",
			Category: store.CategoryRuntime, Weight: parse.Likely, Then: haskellPlace},
		{Text: "^Unhandled exception: {message} ({code})", Tool: "crystal", Category: store.CategoryRuntime,
			Weight: parse.Likely, Below: crystalFrames},
		{Text: "^Error: «execution of an external program failed: {*}»", Tool: "nim", Category: store.CategoryRuntime,
			Weight: parse.Repeat},
	},
	Match: matchRuntime,
}

// crystalFrames reads the lines below an exception of Crystal: "  from src/a.cr:1:6 in 'add'".
func crystalFrames(d *parse.Draft, _ parse.Line) func(parse.Line) parse.Verdict {
	return parse.Below{Indent: 2, Starts: []string{"from "}, Each: func(text string) {
		if p, ok := crystalFrame(text); ok {
			d.At(p.File, p.Line, p.Column)
		}
	}}.Block(d)
}

// crystalFrame returns the place of a frame of the project.
func crystalFrame(text string) (parse.Place, bool) {
	at, _, _ := strings.Cut(strings.TrimPrefix(text, "from "), " ")
	p, rest, ok := parse.PlaceAt(at)
	return p, ok && rest == "" && strings.HasSuffix(p.File, ".cr") && !strings.Contains(p.File, "/crystal/")
}

// isThrown reports whether a draft has a line number, and a code that looks like an exception class of D:
// "object.Exception".
func isThrown(d *parse.Draft) bool { return strings.IndexByte(d.Code, '.') > 0 && d.Line > 0 }

func isAdaException(d *parse.Draft) bool { return strings.ToUpper(d.Code) == d.Code && len(d.Code) > 3 }

// haskellPlace reads the place in "prog: a.hs:3:1-7: Non-exhaustive patterns in function f".
func haskellPlace(d *parse.Draft) {
	d.Test = ""
	_, rest, _ := strings.Cut(d.Message, ": ")
	if p, rest, ok := ghcPlace(rest); ok {
		d.File, d.Line, d.Column, d.Message = p.File, p.Line, p.Column, rest
	}
}

// nimCheck reads "a.nim(4, 12): Check failed: 1 == 2" of Nim's unittest, the values below, and the name of the test.
func nimCheck(s *parse.Scan, text string) bool {
	p, message, ok := nimPlace(text)
	if !ok {
		return false
	}
	d := s.Add(parse.Draft{Event: store.Event{Tool: "nim", File: p.File, Line: p.Line, Column: p.Column,
		Message: strings.TrimPrefix(message, ": "), Category: store.CategoryTest}})
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		name, ends := strings.CutPrefix(text, "[FAILED] ")
		switch {
		case ends:
			d.Test = name
			d.Extend(l)
			return parse.Last
		case l.Indent() < 4 || l.N > d.LogLine+parse.MaxMessageLines*2:
			return parse.Done
		case strings.Count(d.Message, "\n") < parse.MaxMessageLines:
			d.Message += "\n" + text
		}
		d.Extend(l)
		return parse.Take
	})
	return true
}

// nimRaised reads "Unhandled exception: no shop [ValueError]" of Nim's unittest, and the name of the test in the next
// line.
func nimRaised(s *parse.Scan, message string) {
	at, frame := s.LineNumber(), nimFrame(s)
	s.Block(func(l parse.Line) parse.Verdict {
		name, ok := strings.CutPrefix(l.Trim(), "[FAILED] ")
		if !ok {
			return parse.Done
		}
		d := testDraft(name, message)
		d.Tool, d.File, d.Line = "nim", frame.File, frame.Line
		s.Add(d).LogLine = at
		return parse.Last
	})
}

// matchRuntime reads errors whose place or message is on another line.
func matchRuntime(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case strings.HasPrefix(text, "Fortran runtime error: "), strings.HasPrefix(text, "ERROR STOP"):
		fortranStop(s, text)
	case strings.HasPrefix(text, "Error: unhandled exception: "):
		nimException(s, strings.TrimPrefix(text, "Error: unhandled exception: "))
	case strings.Contains(text, "): Check failed: "):
		return nimCheck(s, text)
	case strings.HasPrefix(text, "Unhandled exception: ") && l.Indent() == 4:
		nimRaised(s, text)
		return false // another tool prints the same words
	case hasAnyPrefix(l.Text, "  Failure: ", "  Error: ", "  Ignored test: ") && strings.HasSuffix(text, ":"):
		s.Block((&fpcunit{s: s, ignored: text == "Ignored test:"}).line)
	case strings.HasPrefix(text, "CallStack (from HasCallStack)") && l.Indent() == 0:
		return haskellError(s, l)
	default:
		return false
	}
	return true
}

// before returns the text of the line before the current line. It returns "" if a format took that line, or if that
// line has no word.
func before(s *parse.Scan) string {
	if said := s.Said(1); len(said) > 0 && said[0].N == s.LineNumber()-1 {
		return said[0].Trim()
	}
	return ""
}

// fortranStop reads "Fortran runtime error: x" or "ERROR STOP" of gfortran's library, the place in the line before, and
// the backtrace.
func fortranStop(s *parse.Scan, text string) {
	d := parse.Draft{Weight: parse.Likely, Event: store.Event{Tool: "fortran", Category: store.CategoryRuntime,
		Message: strings.TrimPrefix(text, "Fortran runtime error: ")}}
	if at, ok := strings.CutPrefix(before(s), "At line "); ok {
		line, n := parse.Number(at)
		if file, ok := strings.CutPrefix(at[n:], " of file "); ok {
			d.File, _, _ = strings.Cut(file, " (unit")
			d.Line, d.LogLine = line, s.LineNumber()-1
		}
	}
	added := s.Add(d)
	lines := 0
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if lines++; lines > 60 || text != "" && text[0] != '#' && !strings.HasPrefix(text, "at ") &&
			!strings.HasPrefix(text, "Error termination.") {
			return parse.Done
		}
		if at, ok := strings.CutPrefix(text, "at "); ok {
			if p, _, ok := parse.PlaceAt(at); ok && !strings.HasPrefix(p.File, "../") { // a place in the C library
				added.At(p.File, p.Line, 0)
			}
		}
		if text != "" {
			added.Extend(l)
		}
		return parse.Take
	})
}

// nimFrame returns the place of the innermost frame that is not in Nim's library. The frames are the lines above an
// error, the innermost last: "/shop/a.nim(6)  price".
func nimFrame(s *parse.Scan) (at parse.Place) {
	for _, l := range s.Said(12) {
		p, _, ok := parse.PlaceAt(l.Trim())
		if !ok || !strings.HasSuffix(p.File, ".nim") {
			break
		}
		if at = p; !strings.Contains(p.File, "/lib/system") && !strings.Contains(p.File, "/lib/pure/") {
			break
		}
	}
	return at
}

// nimException reads "Error: unhandled exception: x [ValueError]". If the message has no place, nimException reads the
// place from the frames above.
func nimException(s *parse.Scan, message string) {
	d := parse.Draft{Weight: parse.Likely,
		Event: store.Event{Tool: "nim", Message: message, Category: store.CategoryRuntime}}
	if i := strings.LastIndex(message, " ["); i > 0 && strings.HasSuffix(message, "]") {
		d.Message, d.Code = strings.TrimSpace(message[:i]), message[i+2:len(message)-1]
	}
	if p, rest, ok := nimPlace(d.Message); ok {
		d.File, d.Line, d.Column, d.Message = p.File, p.Line, p.Column, rest
	} else if p := nimFrame(s); p.File != "" {
		d.File, d.Line = p.File, p.Line
	}
	s.Add(d)
}

// haskellError reads the call stack below "prog: message".
func haskellError(s *parse.Scan, l parse.Line) bool {
	program, message, ok := strings.Cut(before(s), ": ")
	if !ok || strings.ContainsAny(program, " \t") {
		return false
	}
	d := s.Add(parse.Draft{Weight: parse.Likely, Event: store.Event{Tool: "haskell", Message: message,
		Category: store.CategoryRuntime, LogLine: l.N - 1, LogLineEnd: l.N}})
	s.Block(parse.Below{Indent: 2, Lines: 20, Each: func(text string) {
		if _, at, ok := strings.Cut(text, ", called at "); ok {
			if p, _, ok := ghcPlace(at + ":"); ok && !strings.HasPrefix(p.File, "libraries/") { // of GHC itself
				d.At(p.File, p.Line, p.Column)
			}
		}
	}}.Block(d))
	return true
}
