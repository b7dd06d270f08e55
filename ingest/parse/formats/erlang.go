package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// erlangFormat reads erlc, rebar, xref and dialyzer, and the crash messages of the runtime.
var erlangFormat = parse.Format{
	Name:  "erlang",
	About: "Erlang: erlc, rebar3 and rebar, xref, dialyzer, crashes of the runtime",
	Triggers: []string{
		".erl:", ".hrl:", ".yrl:", ".xrl:", "init terminating in do_boot", "escript: exception ", "escript: ",
		"System process <0.",
		"===> Compiling ", "Warning: ", "(no logger present) unexpected logger message: {log,error",
	},
	Starts: []string{
		"===> ", "ERROR: ", "Line ", "=ERROR REPORT====", "=CRASH REPORT====", "Runtime terminating during boot",
		"Kernel pid terminated", "done (warnings were emitted)", "Dependency not available: ",
	},
	New: func() parse.Matcher { return new(erlang).match },
}

// erlang keeps the newest crash, because later lines may belong to the crash. It also keeps the warnings of dialyzer,
// because they become errors if dialyzer fails.
type erlang struct {
	died   *parse.Draft
	warned []*parse.Draft
}

// maxDialyzerWarnings is the max number of warnings that are kept.
const maxDialyzerWarnings = 1000

func (e *erlang) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case strings.HasPrefix(text, "===> "):
		return rebar(s, text[len("===> "):])
	case strings.HasPrefix(text, "ERROR: "):
		return rebar2(s, text)
	case strings.HasPrefix(text, "Dependency not available: "):
		s.Add(parse.Draft{Weight: parse.Likely,
			Event: store.Event{Message: text, Tool: "rebar", Category: store.CategoryBuild}})
		return true
	case strings.HasPrefix(text, "=ERROR REPORT===="), strings.HasPrefix(text, "=CRASH REPORT===="):
		erlangReport(s, l)
		return true
	case text == "done (warnings were emitted)": // dialyzer fails for any warning
		for _, d := range e.warned {
			d.Severity = store.SeverityError
		}
		e.warned = nil
		return true
	}
	if p, rest, ok := parse.PlaceAt(text); ok {
		return isErlangFile(p.File) && l.Indent() == 0 && e.place(s, p, rest)
	}
	return e.dies(s, l, text)
}

func isErlangFile(file string) bool {
	return hasAnySuffix(file, ".erl", ".hrl", ".yrl", ".xrl", ".escript")
}

// place reads a message with a place. A message of dialyzer continues on indented lines. place adds such a message to
// warned.
func (e *erlang) place(s *parse.Scan, p parse.Place, rest string) bool {
	known := s.Pending()
	taken := erlc(s, p, rest)
	d := s.Newest()
	if s.Pending() == known || d.Tool != "dialyzer" {
		return taken
	}
	if len(e.warned) < maxDialyzerWarnings {
		e.warned = append(e.warned, d)
	}
	lines := 0
	s.Block(func(l parse.Line) parse.Verdict {
		if lines++; l.Indent() < 2 || lines > maxDialyzerLines {
			return parse.Done
		}
		d.Message = strings.TrimSpace(d.Message) + " " + l.Trim()
		d.Extend(l)
		return parse.Take
	})
	return taken
}

// maxDialyzerLines is the max number of lines that continue a message of dialyzer.
const maxDialyzerLines = 10

// erlc reads "src/demo.erl:6:5: variable 'X' is unbound". A message of erlc without "Warning" is an error. xref and
// dialyzer print the same form, and are recognized by their words. Their messages are warnings.
func erlc(s *parse.Scan, p parse.Place, rest string) bool {
	if rest == "" || strings.HasPrefix(rest, "<") || p.Column == 0 && isErlangLogLine(rest) {
		return false
	}
	e := store.Event{File: p.File, Line: p.Line, Column: p.Column, Message: rest, Category: store.CategoryCompile}
	if message, ok := cutAny(rest, "Warning: ", "warning: "); ok {
		e.Severity, e.Message = store.SeverityWarning, message
	} else if isDialyzer(rest) {
		e.Severity, e.Tool, e.Category = store.SeverityWarning, "dialyzer", store.CategoryType
	}
	if strings.HasSuffix(rest, "(Xref)") {
		e.Severity, e.Tool, e.Category = store.SeverityWarning, "xref", store.CategoryLint
	}
	d := parse.Draft{Event: e, Key: rest + "\x00" + p.File + "\x00" + positionKey(p)}
	if p.Column == 0 && e.Severity == "" && !containsAny(rest, erlcWords) {
		d.Weight = parse.Likely // erlc printed no column before OTP 24; programs log such lines, too
	}
	tool := e.Tool
	if tool == "" {
		tool = "erlang"
	}
	if s.Reported(tool, d.Key) != nil { // before OTP 24 erlc printed no column, and programs log such lines, too
		return true
	}
	source := parse.Below{Starts: []string{"%"}, Is: func(text string) bool { return strings.Contains(text, "|") }}
	s.Block(source.Block(s.Add(d)))
	return true
}

// erlcWords are words that occur in most errors of erlc.
var erlcWords = []string{
	"undefined", "unbound", "syntax error", "unused", "already ", "unsafe", "illegal", "can't ", "no such file",
	"head mismatch", "unterminated", "redefin", "reserved", "bad ", "not allowed", "spec for",
}

// isErlangLogLine reports whether the text after file and line is a log entry of a program. A message of the compiler
// begins with a small letter or with a known word.
func isErlangLogLine(rest string) bool {
	return !parse.IsLower(rest[0]) &&
		!hasAnyPrefix(rest, "Warning:", "Function ", "The ", "Call ", "Invalid ", "Callback ", "Unknown ")
}

// isDialyzer reports whether a message begins like a warning of dialyzer.
func isDialyzer(rest string) bool {
	return hasAnyPrefix(rest, "Function ", "The ", "Call to ", "Invalid type ", "Callback ", "Unknown ", "Expression ",
		"Guard ", "Type specification", "Undefined callback")
}

// rebar reads messages that rebar3 marks with an arrow. Some messages only say that rebar3 stops: they repeat an
// earlier message of rebar3 or of another tool.
func rebar(s *parse.Scan, text string) bool {
	d := parse.Draft{Weight: parse.Likely,
		Event: store.Event{Message: text, Tool: "rebar3", Category: store.CategoryBuild}}
	switch {
	case strings.HasPrefix(text, "Analyzing ") && strings.Contains(text, " files with "):
		s.Block((&rebarDialyzer{s: s}).line)
		return true
	case strings.HasPrefix(text, "Compiling ") && strings.HasSuffix(text, " failed"),
		hasAnyPrefix(text, "Error running tests", "Failures occurred running tests", "Failures occured running tests"),
		strings.HasPrefix(text, "Warnings occurred running dialyzer"):
		d.Weight = parse.Repeat
	case hasAnyPrefix(text, "Error", "Failed ", "Failure", "Unable to ", "Could not ", "Cannot ", "Package not found",
		"Dependency failure", "Uncaught error", "Unknown ", "Bad ", "Invalid ", "Missing ", "No entry for module"),
		strings.HasPrefix(text, "Command ") &&
			strings.HasSuffix(text, " not found"), hasAnySuffix(text, " failed", " failed."),
		strings.Contains(text, " failed: "):
	default:
		return false
	}
	if strings.HasPrefix(text, "Failed to ") && strings.Contains(text, "using cached") ||
		strings.HasPrefix(text, "Failed to update package") {
		return false
	}
	s.Add(d)
	return true
}

// rebarDialyzer reads the warnings of dialyzer under rebar3. They are errors, because rebar3 fails for any warning. A
// line has the name of a file, and the lines below have the warnings of the file.
type rebarDialyzer struct {
	s    *parse.Scan
	file string
}

var rebarDialyzerLines = parse.Lines{
	{Text: "Line {line} Column {column}: {message}", Tool: "dialyzer", Category: store.CategoryType, Weight: parse.Likely},
	{Text: "{line}: {message}", Tool: "dialyzer", Category: store.CategoryType, Weight: parse.Likely},
}

func (r *rebarDialyzer) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	if isErlangFile(text) {
		r.file = text
	}
	d, ok := rebarDialyzerLines.Read(text)
	if ok && r.file != "" {
		d.File = r.file
		r.s.Add(d)
		return parse.Take
	}
	if text == "" || r.file == text {
		return parse.Take
	}
	return parse.Done
}

// rebar2 reads "ERROR: compile failed while processing /x: rebar_abort".
func rebar2(s *parse.Scan, text string) bool {
	if !strings.Contains(text, " failed while processing ") {
		return false
	}
	w := parse.Likely
	// rebar prints some reasons without a line end.
	if reason, _, ok := strings.Cut(text[len("ERROR: "):], "ERROR: "); ok {
		text = "ERROR: " + reason
	} else if strings.HasSuffix(text, "rebar_abort") {
		w = parse.Repeat
	}
	s.Add(parse.Draft{Weight: w, Event: store.Event{Message: text[len("ERROR: "):], Tool: "rebar",
		Category: store.CategoryBuild}})
	return true
}

// erlangReport reads an error report. The message of the event is the first line below the heading. The event is a
// guess, because programs and tests print many reports.
func erlangReport(s *parse.Scan, l parse.Line) {
	d := parse.Draft{Weight: parse.Guess, Event: store.Event{Category: store.CategoryRuntime, LogLine: l.N}}
	s.Block(func(l parse.Line) parse.Verdict {
		text := strings.TrimPrefix(l.Trim(), "** ")
		if text == "" {
			return parse.Done
		}
		if d.Message == "" {
			d.Message, d.LogLineEnd = text, l.N
			s.Add(d)
		}
		if l.Indent() == 0 && !hasAnyPrefix(l.Text, "** ", "{", "Error in process") {
			return parse.Done
		}
		return parse.Take
	})
}

// dies reads the messages with which the runtime or escript ends. The runtime prints several messages about one crash.
// So such messages within 200 lines are one event.
func (e *erlang) dies(s *parse.Scan, l parse.Line, text string) bool {
	switch {
	case strings.HasPrefix(text, "escript: exception "), strings.HasPrefix(text, "escript: "):
		text = strings.TrimPrefix(text, "escript: ")
	case strings.Contains(text, "init terminating in do_boot"),
		strings.HasPrefix(text, "System process <0.") && strings.Contains(text, "terminated: "),
		hasAnyPrefix(text, "Runtime terminating during boot", "Kernel pid terminated", "(no logger present)"):
	default:
		return false
	}
	if e.died != nil && l.N <= e.died.LogLineEnd+200 {
		e.died.Extend(l)
		return true
	}
	e.died = s.Add(parse.Draft{Weight: parse.Likely, Event: store.Event{Message: text, Category: store.CategoryRuntime}})
	return true
}
