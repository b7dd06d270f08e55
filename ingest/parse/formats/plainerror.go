package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// plainErrorFormat reads compilers that print no severity before an error: GNAT, GHDL, protoc, Buf, Icarus Verilog,
// Nim. It also reads those of Vala, D, ANTLR, Thrift, FlatBuffers and Cap'n Proto, and the errors of sqlite3 and Z3 in
// a script.
func plainErrorFormat() parse.Format {
	return parse.Format{
		Name: "compiler",
		About: "GNAT, GHDL, protoc, Buf, Icarus Verilog, Nim, Vala, D, ANTLR, Thrift, FlatBuffers, Cap'n Proto, " +
			"sqlite3, Z3",
		Triggers: append(eachDigit(".v:", ""), ".adb:", ".ads:", ".gpr:", ".vhd:", ".vhdl:", ".proto:", ".sv:", ".vh:",
			".svh:", ".nim(", ".nims(", ".vala:", ".vapi:", ".fbs:", ".capnp:", "): Error: ", "): Warning: ",
			"): Deprecation: "),
		Starts: []string{"gprbuild: ", "gnatmake: ", "gprclean: ", "error(", "warning(", "[ERROR:", "[FAILURE:", "[WARNING:",
			"Parse error near line ", "Runtime error near line ", `(error "line `},
		Lines: parse.Lines{
			{Text: "^{:gprbuild|gnatmake}: «project file {*} not found{*}»", Tool: "gnat", Category: store.CategoryBuild},
			{Text: "^{:gprbuild|gnatmake}: «{:*** |link of |problems with main sources|\"}{*}»", Tool: "gnat",
				Category: store.CategoryBuild, Weight: parse.Repeat},
			{Text: "^{range:.vala|.vapi}: {severity:error|warning}: {message}", Tool: "vala",
				Category: store.CategoryCompile, Below: gutterBelow},
			{Text: "^{place:.d|.di}{severity:Error|Warning|Deprecation=warning}: {message}", Tool: "d",
				Category: store.CategoryCompile},
			{Text: "^{severity:error|warning}({code:#}): {place}: {message}", Tool: "antlr", Category: store.CategoryCompile},
			{Text: "^[{severity:ERROR|FAILURE=error|WARNING}:{path}:{line}] (last token was {_})", Tool: "thrift",
				Category: store.CategoryCompile, Below: parse.Below{Lines: 1, Join: " "}.Pattern},
			{Text: "^[{severity:ERROR|FAILURE=error|WARNING}:{path}:{line}] {message}", Tool: "thrift",
				Category: store.CategoryCompile},
			{Text: "^{range:.capnp}: {severity}: {message}", Tool: "capnp", Category: store.CategoryCompile},
			{Text: "{?error: }{file:.fbs}:{line}: {column}: {severity}: {message}", Tool: "flatc",
				Category: store.CategoryCompile},
			{Text: "^«{:Parse|Runtime} error near line {#}: {*}»", Tool: "sqlite3", Category: store.CategoryRuntime},
			{Text: `^(error "«line {#} column {#}: {*}»")`, Tool: "z3", Category: store.CategoryRuntime},
		},
		Match: matchPlainError,
	}
}

// plainErrorTools maps file extensions to compilers.
var plainErrorTools = map[string]string{
	".adb": "gnat", ".ads": "gnat", ".gpr": "gnat", ".vhd": "ghdl", ".vhdl": "ghdl", ".proto": "protoc",
	".v": "iverilog", ".sv": "iverilog", ".vh": "iverilog", ".svh": "iverilog",
	".nim": "nim", ".nims": "nim",
}

func matchPlainError(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if l.Indent() > 0 {
		return false
	}
	p, rest, ok := parse.PlaceAt(text)
	if !ok {
		p, rest, ok = nimPlace(text)
	}
	if !ok || rest == "" {
		return false
	}
	tool := plainErrorTools[p.File[max(0, strings.LastIndexByte(p.File, '.')):]]
	if tool == "protoc" && text[len(text)-len(rest)-1] == ':' { // protoc has a blank before the message
		tool = "buf"
	}
	severity, message, graded := parse.SeverityAt(strings.TrimPrefix(rest, "("+"style) "))
	switch {
	case tool == "":
		return false
	case graded:
	// Icarus Verilog goes on after such messages.
	case strings.HasPrefix(rest, "Hint: "), strings.HasPrefix(rest, "(style)"), strings.HasPrefix(rest, ":"),
		strings.HasPrefix(rest, "     : "):
		return true
	case tool == "nim" || tool == "iverilog" && !strings.HasPrefix(rest, "syntax error") &&
		!strings.HasPrefix(rest, "sorry: "), tool != "iverilog" && tool != "nim" && p.Column == 0:
		return false // a stack trace or a log entry
	default:
		severity, message = store.SeverityError, rest
	}
	if severity == store.SeverityInfo {
		return true
	}
	e := store.Event{Severity: severity, File: p.File, Line: p.Line, Column: p.Column, Message: message, Tool: tool,
		Category: store.CategoryCompile}
	if message, flag := cutFlag(message); flag != "" {
		e.Message, e.Code = message, warningFlag(flag)
	}
	if i := strings.LastIndex(message, " ["); tool == "nim" && i > 0 && strings.HasSuffix(message, "]") {
		e.Message, e.Code = message[:i], message[i+2:len(message)-1]
	}
	s.Add(parse.Draft{Event: e})
	return true
}

// nimPlace reads "a.nim(3, 5) ".
func nimPlace(text string) (p parse.Place, rest string, ok bool) {
	i := strings.Index(text, ".nim")
	if i < 0 {
		return p, text, false
	}
	file, rest, ok := strings.Cut(text[i:], "(")
	at, rest, closed := strings.Cut(rest, ")")
	line, column, two := strings.Cut(at, ", ")
	p = parse.Place{File: text[:i] + file}
	p.Line, _ = parse.Number(line)
	p.Column, _ = parse.Number(column)
	return p, strings.TrimSpace(rest), ok && closed && two && p.Line > 0 && parse.IsFileName(p.File)
}
