package formats

import (
	"slices"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// shellFormat reads the messages of shells about commands that cannot run, scripts that cannot be read, and processes
// that a signal ended. The weight of these errors is at most parse.Likely, because scripts often go on after them.
var shellFormat = parse.Format{
	Name:  "shell",
	About: "bash, dash, zsh, busybox, cmd.exe: commands not found, syntax errors, crashes",
	Triggers: slices.Concat([]string{
		"command not found", ": not found", ": parse error near ", ": Unknown command: ", "No such file or directory",
		"ermission denied", "cannot execute", "yntax error", "unbound variable", "parameter not set",
		"ad substitution", "unexpected EOF", "bad interpreter", "is currently not installed",
		"' not found, but can be installed", "ambiguous redirect",
		"(core dumped)", "Segmentation fault", "Bus error", "Illegal instruction", "Trace/breakpoint trap",
		"Out of memory: Kill", "executable file not found", " Killed ", " Aborted ",
		"' is not recognized as an internal or external command", ".sh: line ",
	}, eachDigit(".sh: ", ": "), noCommand, noSuchFile, noPermission),
	Starts: []string{"Killed", "Aborted", "timeout: ", "sh: ", "dash: ", "/bin/sh: ", "bash: line ", "/bin/bash: line ",
		"/usr/bin/bash: line ", "+ exit ", "++ exit ", "+exit "},
	Match: matchShell,
}

func matchShell(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	e := store.Event{Category: store.CategoryRuntime}
	switch {
	case strings.HasPrefix(text, "+"):
		return givesUp(s, l)
	case diesBySignal(text):
		e.Message = text
	case strings.HasPrefix(text, "The program '") && strings.Contains(text, "' is currently not installed"),
		strings.HasPrefix(text, "Command '") && strings.Contains(text, "' not found, but can be installed"):
		e.Message, e.Code = text, "command-not-found"
	// cmd.exe prints this message in two lines. The second line adds nothing to the first.
	case strings.HasPrefix(text, "'") &&
		strings.HasSuffix(text, "' is not recognized as an internal or external command,"):
		d := s.Add(parse.Draft{Weight: parse.Likely,
			Event: store.Event{Message: strings.TrimSuffix(text, ","), Code: "command-not-found",
				Category: store.CategoryRuntime}})
		s.Block(parse.Below{Starts: []string{"operable program or batch file."}, Lines: 1}.Block(d))
		return true
	case strings.HasPrefix(text, "/usr/bin/env: ") || strings.HasPrefix(text, "env: "):
		if !strings.HasSuffix(text, "No such file or directory") {
			return false
		}
		e.Message, e.Code = text, "command-not-found"
	default:
		var ok bool
		if e, ok = shellError(text); !ok {
			return false
		}
	}
	d := parse.Draft{Weight: parse.Likely, Event: e}
	switch {
	case e.Code == badArgument: // a script often goes on, and its next command says what failed
		d.Weight = parse.Guess
	case e.Code == "" && strings.IndexByte(e.Message, ':') < 0: // "Aborted": the command may have printed a reason
		d.Weight = parse.Repeat
	}
	s.Add(d)
	return true
}

// givesUp reads the trace "+ exit 1" of a script. The line above the trace is often the script's reason. So givesUp
// adds that line as a guess.
func givesUp(s *parse.Scan, l parse.Line) bool {
	code := l.Text[strings.LastIndexByte(l.Text, ' ')+1:]
	said := s.Said(1)
	if !parse.AllDigits(code) || code == "0" || len(said) == 0 || said[0].N != l.N-1 ||
		strings.HasPrefix(said[0].Text, "+") || parse.SaysNone(said[0].Text) {
		return false
	}
	s.Add(parse.Draft{Weight: parse.Guess, Event: store.Event{Message: said[0].Trim(), Tool: "unknown",
		Category: store.CategoryRuntime, LogLine: said[0].N, LogLineEnd: said[0].N}})
	return false
}

// diesBySignal reports whether text is a message about a process that a signal ended. Shells print "Killed",
// "Segmentation fault (core dumped)", and such words after "x.sh: line 3:    12 ". Messages of the kernel
// and of the command "timeout" are included.
func diesBySignal(text string) bool {
	if i := strings.Index(text, ": line "); i > 0 {
		rest := text[i+len(": line "):]
		_, n := parse.Number(rest)
		rest = strings.TrimLeft(strings.TrimPrefix(rest[n:], ":"), " ")
		if _, n = parse.Number(rest); n == 0 {
			return false
		}
		text = strings.TrimLeft(rest[n:], " ")
	}
	for _, w := range [...]string{"Segmentation fault", "Aborted", "Bus error", "Illegal instruction",
		"Trace/breakpoint trap", "Killed"} {
		if rest, ok := strings.CutPrefix(text, w); ok {
			return rest == "" || strings.HasPrefix(rest, " (core dumped)") || strings.HasPrefix(rest, "   ")
		}
	}
	return strings.Contains(text, "Out of memory: Kill") || strings.HasPrefix(text, "timeout: sending signal")
}

// shellError reads "bash: line 3: foo: command not found", "sh: 1: foo: not found", "./x.sh: line 7: syntax error near
// …" or "zsh: command not found: foo".
func shellError(text string) (store.Event, bool) {
	script, rest, ok := strings.Cut(text, ": ")
	if !ok || script == "" || strings.ContainsAny(script, " \"'`<>|") {
		return store.Event{}, false
	}
	if name, n, ok := strings.Cut(script, ":"); ok && parse.AllDigits(n) && isShell(name) { // "zsh:1: …"
		script = name
	}
	shell, line := isShell(script), 0
	rest = cutLineWord(cutEvaluated(rest))
	if n, length := parse.Number(rest); length > 0 && strings.HasPrefix(rest[length:], ": ") {
		line, rest = n, rest[length+2:]
	}
	if line == 0 && !shell && script != "sudo" {
		return store.Event{}, false
	}
	code, ok := shellCode(rest)
	if !ok || strings.HasPrefix(rest, "shell_session_update") { // macOS prints this in every shell of Travis CI

		return store.Event{}, false
	}
	e := store.Event{Message: rest, Code: code, Category: store.CategoryRuntime}
	if !shell && parse.IsFileName(script) {
		e.File, e.Line = script, line
	}
	return e, true
}

// cutEvaluated removes the words that bash prints before the line number if the script is not a file, such as "eval: "
// in "eval: line 3: ".
func cutEvaluated(text string) string {
	for _, source := range [...]string{"eval: ", "-c: ", "command substitution: "} {
		if rest, ok := strings.CutPrefix(text, source); ok && cutLineWord(rest) != rest {
			return rest
		}
	}
	return text
}

// isShell reports whether a name is the name of a shell. The line number after a shell's name is not a line of a file.
func isShell(name string) bool {
	base := name[strings.LastIndexByte(name, '/')+1:]
	for _, shell := range [...]string{"bash", "sh", "dash", "zsh", "ash", "ksh", "-bash", "-sh", "fish"} {
		if base == shell {
			return true
		}
	}
	return false
}

// shellCode returns the code of the error that a shell's message describes.
func shellCode(message string) (code string, ok bool) {
	for _, end := range [...]struct{ text, code string }{
		{": command not found", "command-not-found"}, {": not found", "command-not-found"},
		{": No such file or directory", "no-such-file"},
		{": Permission denied", "permission-denied"}, {": unbound variable", "unbound-variable"},
		{": parameter not set", "unbound-variable"},
		{": bad substitution", "syntax"}, {": Is a directory", "is-a-directory"}, {": ambiguous redirect", "syntax"},
		{": No such file", "no-such-file"},
		{"Bad substitution", "syntax"}, {"required file not found", "command-not-found"},
	} {
		if strings.HasSuffix(message, end.text) {
			return end.code, true
		}
	}
	switch {
	case hasAnySuffix(message, noCommand...):
		return "command-not-found", true
	case hasAnySuffix(message, noSuchFile...):
		return "no-such-file", true
	case hasAnySuffix(message, noPermission...):
		return "permission-denied", true
	case hasAnyPrefix(message, "syntax error", "Syntax error:", "unexpected EOF", "parse error near "):
		return "syntax", true
	case hasAnyPrefix(message, "command not found: ", "Unknown command: "):
		return "command-not-found", true
	case strings.Contains(message, ": cannot execute"), strings.Contains(message, ": bad interpreter"):
		return "cannot-execute", true
	case strings.Contains(message, "executable file not found"):
		return "command-not-found", true
	case hasAnySuffix(message, shellRefusals...), slices.ContainsFunc(shellReasons,
		func(reason string) bool { return strings.Contains(message, reason) }):
		return badArgument, true
	}
	return "", false
}

// badArgument is the code of errors in which a shell refuses a built-in command or an expression.
const badArgument = "bad-argument"

// shellRefusals are endings of messages about built-in commands and expressions, in bash and dash.
var shellRefusals = []string{": readonly variable", ": is read only", ": unary operator expected",
	": binary operator expected", ": integer expression expected", ": too many arguments", ": numeric argument required",
	": not a valid identifier", ": bad variable name", ": invalid option name", ": invalid shell option name",
	": invalid option", ": Directory nonexistent", ": Bad file descriptor", ": not a shell builtin", ": invalid number",
	": directory stack empty", ": can only be used in a function", ": not in a function", ": can't shift that many",
	": no job control", ": invalid signal specification", ": octal number out of range", "not a child of this shell",
	": parameter null or not set", ": parameter not set or null"}

// shellReasons are parts of messages about built-in commands and expressions. In the messages, more text follows them,
// such as an argument.
var shellReasons = []string{"cd: can't cd to ", ": Illegal option ", ": Illegal number: ", "arithmetic expression: ",
	": division by 0 (error token ", ": value too great for base (error token "}
