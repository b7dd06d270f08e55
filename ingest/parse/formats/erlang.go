package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// erlangFormat reads erlc, rebar, xref and dialyzer, and how the runtime dies.
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
		"Kernel pid terminated",
	},
	New: func() parse.Matcher { return new(erlang).match },
}

// erlang remembers the newest crash, which later lines may belong to.
type erlang struct {
	died *parse.Draft
}

func (e *erlang) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case strings.HasPrefix(text, "===> "):
		return rebar(s, text[len("===> "):])
	case strings.HasPrefix(text, "ERROR: "):
		return rebar2(s, text)
	case strings.HasPrefix(text, "=ERROR REPORT===="), strings.HasPrefix(text, "=CRASH REPORT===="):
		erlangReport(s, l)
		return true
	}
	if p, rest, ok := parse.PlaceAt(text); ok {
		return isErlangFile(p.File) && l.Indent() == 0 && erlc(s, p, rest)
	}
	return e.dies(s, l, text)
}

func isErlangFile(file string) bool {
	return hasAnySuffix(file, ".erl", ".hrl", ".yrl", ".xrl", ".escript")
}

// erlc reads "src/demo.erl:6:5: variable 'X' is unbound": what is no warning
// is an error. xref and dialyzer write alike; the words tell.
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
		d.Weight = parse.Likely // before OTP 24 erlc named no column; programs log alike
	}
	tool := e.Tool
	if tool == "" {
		tool = "erlang"
	}
	if s.Reported(tool, d.Key) != nil { // "rebar3 eunit" compiles again
		return true
	}
	source := parse.Below{Starts: []string{"%"}, Is: func(text string) bool { return strings.Contains(text, "|") }}
	s.Block(source.Block(s.Add(d)))
	return true
}

// erlcWords are in most of the errors of erlc.
var erlcWords = []string{
	"undefined", "unbound", "syntax error", "unused", "already ", "unsafe", "illegal", "can't ", "no such file",
	"head mismatch", "unterminated", "redefin", "reserved", "bad ", "not allowed", "spec for",
}

// isErlangLogLine reports whether what follows file and line is a log entry of a
// program rather than a message of the compiler, which begins in lower case
// or quotes a name.
func isErlangLogLine(rest string) bool {
	return !parse.IsLower(rest[0]) &&
		!hasAnyPrefix(rest, "Warning:", "Function ", "The ", "Call ", "Invalid ", "Callback ", "Unknown ")
}

// isDialyzer reports whether a message is in dialyzer's words.
func isDialyzer(rest string) bool {
	return hasAnyPrefix(rest, "Function ", "The ", "Call to ", "Invalid type ", "Callback ", "Unknown ", "Expression ",
		"Guard ", "Type specification", "Undefined callback")
}

// rebar reads what rebar3 marks with an arrow. It gives up after it has said
// why, or after a tool has.
func rebar(s *parse.Scan, text string) bool {
	d := parse.Draft{Weight: parse.Likely,
		Event: store.Event{Message: text, Tool: "rebar3", Category: store.CategoryBuild}}
	switch {
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

// rebar2 reads "ERROR: compile failed while processing /x: rebar_abort".
func rebar2(s *parse.Scan, text string) bool {
	if !strings.Contains(text, " failed while processing ") {
		return false
	}
	w := parse.Likely
	if strings.HasSuffix(text, "rebar_abort") {
		w = parse.Repeat
	}
	s.Add(parse.Draft{Weight: w, Event: store.Event{Message: text[len("ERROR: "):], Tool: "rebar",
		Category: store.CategoryBuild}})
	return true
}

// erlangReport reads the first words of an error report. Programs and tests
// make many, so it is a guess.
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

// dies reads the last words of the runtime, which says them several times.
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
