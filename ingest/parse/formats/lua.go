package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// luaFormat reads the Lua interpreters: "lua: file:line: message".
var luaFormat = parse.Format{
	Name:     "lua",
	About:    "Lua, LuaJIT: errors of scripts",
	Triggers: []string{": attempt to ", ": bad argument #"},
	Starts: []string{
		"lua: ", "lua5", "luajit: ", "luac: ", "luac5", "texlua: ", "/usr/bin/lua", "/usr/local/bin/lua",
		"lua.exe: ", "Missing dependencies for ",
	},
	Match: matchLua,
}

func matchLua(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if strings.HasPrefix(text, "Missing dependencies for ") && strings.HasSuffix(text, ":") {
		return true // LuaRocks is about to install them
	}
	program, rest, ok := strings.Cut(text, ": ")
	if !ok || strings.IndexByte(program, ' ') >= 0 {
		return false
	}
	p, message, placed := rubyPlace(rest)
	weight := parse.Certain
	if !hasAnyPrefix(program[strings.LastIndexByte(program, '/')+1:], "lua", "texlua") { // a program written in Lua
		if weight = parse.Likely; !strings.HasSuffix(p.File, ".lua") {
			return false
		}
	}
	if !placed && !hasAnyPrefix(rest, "cannot open ", "(error object is ", "(command line):") {
		return false
	}
	if !placed {
		message = rest
	}
	message = strings.TrimSuffix(message, ":") // for a missing module, the searched places follow
	d := s.Add(parse.Draft{Weight: weight, Event: store.Event{File: p.File, Line: p.Line, Message: message,
		Category: store.CategoryRuntime}})
	trace := parse.Below{Indent: 1}.Block(d)
	s.Block(func(l parse.Line) parse.Verdict {
		if l.Text == "stack traceback:" {
			return parse.Take
		}
		return trace(l)
	})
	return true
}

// bustedFormat reads busted: "Failure -> spec/a_spec.lua @ 3", the name of the test, and the message.
var bustedFormat = parse.Format{
	Name:   "busted",
	About:  "busted: Lua tests",
	Starts: []string{"Failure -> ", "Error -> ", "Failure → ", "Error → "},
	Match:  matchBusted,
}

func matchBusted(s *parse.Scan, l parse.Line) bool {
	_, at, _ := strings.Cut(l.Trim(), " ")
	_, at, _ = strings.Cut(at, " ")
	file, line, ok := strings.Cut(at, " @ ")
	if !ok {
		p, message, placed := rubyPlace(at)
		if placed && strings.HasSuffix(p.File, ".lua") { // a file that could not be loaded
			s.Add(parse.Draft{Event: store.Event{File: p.File, Line: p.Line, Message: message, Category: store.CategoryCompile}})
		}
		return placed
	}
	n, length := parse.Number(line)
	if length == 0 || length != len(line) {
		return false
	}
	d := s.Add(parse.Draft{Event: store.Event{File: file, Line: n, Message: "test failed", Category: store.CategoryTest}})
	var msg parse.Message
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		switch {
		case text == "":
			return parse.Last
		case d.Test == "":
			d.Test = text
		case text == "stack traceback:":
			msg.End()
		default:
			if p, rest, ok := rubyPlace(text); ok && msg.Empty() {
				d.File, d.Line = p.File, p.Line
				text = rest
			}
			msg.Add(text)
			d.Message = msg.String()
		}
		d.Extend(l)
		return parse.Take
	})
	return true
}

// luacheckFormat reads luacheck: "a.lua:1:7: (W211) unused variable 'x'".
var luacheckFormat = parse.Format{
	Name:     "luacheck",
	About:    "luacheck: Lua lint",
	Triggers: []string{".lua:"},
	Starts:   []string{"Critical error: "},
	Lines: parse.Lines{
		{Text: "^Critical error: {message}"}, // of its options or configuration
		{Text: "{place+column:.lua}: ({code}) {message}", Severity: store.SeverityWarning, Then: gradeLuacheck},
		{Text: "{place+column:.lua}: {message}", Severity: store.SeverityWarning, If: hasNoGrade, Then: gradeLuacheck},
	},
}

// gradeLuacheck sets the severity. A file that does not compile is an error.
func gradeLuacheck(d *parse.Draft) {
	if strings.HasPrefix(d.Code, "E") ||
		d.Code == "" && hasAnyPrefix(d.Message, "expected ", "unexpected ", "unfinished ", "malformed ", "invalid ",
			"syntax error") {
		d.Severity, d.Category = store.SeverityError, store.CategoryCompile
	}
}
