package formats

import (
	"slices"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// unixFormat reads errors of small programs that print their own name: cp, tar, ssh, rsync. They are guesses, because a
// script often goes on after such an error.
var unixFormat = parse.Format{
	Name:     "unix",
	About:    "programs that say their name and the system's error: cp, tar, ssh, …; sed, awk, jq, pkg-config, qmake",
	Triggers: slices.Concat([]string{"no space left on device"}, unixErrors, archiveErrors, noSuchFile, noPermission),
	Starts:   []string{"sed: ", "awk: ", "mawk: ", "jq: ", "Package ", "Project ERROR: "},
	Lines:    unixLines,
	Match:    matchUnix,
}

// unixLines are errors of small programs that name no system error.
var unixLines = parse.Lines{
	{Text: "^sed: «{:-e expression|file} {*}»", Tool: "sed", Category: store.CategoryRuntime, Weight: parse.Likely},
	{Text: "^{:awk|mawk}: «line {#}: {*}»", Tool: "awk", Category: store.CategoryRuntime, Weight: parse.Likely},
	{Text: "^jq: error (at {_}): {message}", Tool: "jq", Category: store.CategoryRuntime, Weight: parse.Likely},
	{Text: "^jq: error: {message}", Tool: "jq", Category: store.CategoryRuntime, Weight: parse.Likely},
	{Text: "^«Package {_} was not found in the pkg-config search path»{*}", Tool: "pkg-config",
		Category: store.CategoryBuild, Weight: parse.Guess, Below: parse.Below{Starts: []string{
			"Perhaps you should ", "to the PKG_CONFIG_PATH ", "No package '", "Package '"}}.Pattern},
	{Text: "^«Package '{_}', required by '{_}', not found»", Tool: "pkg-config", Category: store.CategoryBuild,
		Weight: parse.Guess},
	{Text: "^«Package '{_}' has version '{_}', required version is {*}»", Tool: "pkg-config",
		Category: store.CategoryBuild, Weight: parse.Guess},
	{Text: "^Project ERROR: {message}", Tool: "qmake", Category: store.CategoryBuild},
}

// unixErrors are messages for system errors, and a few messages of rsync, tar, gzip, ssh, curl and unzip.
var unixErrors = []string{
	"No such file or directory", "Permission denied", "No space left on device", "Not a directory", "Is a directory",
	"File exists", "Directory not empty",
	"Operation not permitted", "Connection refused", "Connection timed out", "Connection reset by peer",
	"Cannot allocate memory", "Read-only file system",
	"Device or resource busy", "Text file busy", "Too many open files", "Could not resolve host",
	"Name or service not known",
	"Host key verification failed", "rsync error:", "not in gzip format", "Error is not recoverable",
	"Exiting with failure status", "Invalid cross-device link", "Argument list too long",
	"unzip:  cannot find ", "Child returned status ",
}

// archiveErrors are messages of tar and of the programs with which it unpacks: xz, gzip, bzip2, zstd.
var archiveErrors = []string{
	"This does not look like a tar archive", "File format not recognized", "Unexpected end of input",
	"nexpected end of file", " is not a bzip2 file.", "Unexpected EOF in archive", "unsupported format",
	": Not found in archive",
}

func matchUnix(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	program, message, ok := strings.Cut(text, ": ")
	if endsInNoSpace(text) {
		return noSpace(s, program, text)
	}
	switch {
	case strings.HasPrefix(text, "Host key verification failed"), strings.HasPrefix(text, "Permission denied (publickey"):
		program, message = "ssh", text
	case strings.HasPrefix(text, "rsync error: "): // the reason is in an earlier message of rsync
		s.Add(parse.Draft{Weight: parse.Repeat,
			Event: store.Event{Message: text[len("rsync error: "):], Tool: "rsync", Category: store.CategoryRuntime}})
		return true
	case strings.HasPrefix(text, "unzip:  cannot find "):
		d := s.Add(parse.Draft{Weight: parse.Guess, Event: store.Event{Message: strings.TrimLeft(message, " "), Tool: program,
			Category: store.CategoryRuntime}})
		s.Block(parse.Below{Indent: 8, Lines: 1, Join: " "}.Block(d))
		return true
	case !ok || !isProgram(program):
		return false
	case hasAnyPrefix(message, "Error is not recoverable", "Exiting with failure status", "Child returned status "):
		return true // tar, or the program with which it unpacks, has printed the reason
	case !endsInSystemError(message) && !(unpacks(program) && hasAnySuffix(strings.TrimSpace(message), archiveErrors...)):
		return false
	}
	s.Add(parse.Draft{Weight: parse.Guess,
		Event: store.Event{Message: message, Tool: program, Category: store.CategoryRuntime}})
	return true
}

// unpacks reports whether a program reads archives or compressed files.
func unpacks(program string) bool {
	switch program {
	case "tar", "gtar", "bsdtar", "gzip", "gunzip", "xz", "unxz", "lzma", "bzip2", "bunzip2", "zstd", "unzstd":
		return true
	}
	return false
}

// endsInNoSpace reports whether a line ends with the system's message for a full disk.
func endsInNoSpace(text string) bool {
	if i := strings.LastIndexByte(text, ','); i > 0 && strings.HasPrefix(text[i:], ", write") { // printed by Node.js
		text = text[:i]
	}
	return strings.HasSuffix(strings.TrimRight(text, ".!'\")]"), "o space left on device")
}

// noSpace adds the error of a full disk. This error is the reason why the step fails, even if the step prints other
// errors. The message often comes several times, so noSpace adds only one error for each program.
func noSpace(s *parse.Scan, program, text string) bool {
	e := store.Event{Message: text, Tool: "system", Code: "no-space", Category: store.CategoryRuntime}
	if isProgram(program) && program != "error" && program != "fatal" {
		e.Message, e.Tool = text[len(program)+2:], program
	}
	if s.Reported(e.Tool, e.Code) == nil {
		s.Add(parse.Draft{Weight: parse.Died, Key: e.Code, Event: e})
	}
	return true
}

// isProgram reports whether s can be the name of a small program.
func isProgram(s string) bool {
	if len(s) < 2 || len(s) > 20 || !parse.IsLower(s[0]) || s == "error" {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !parse.IsLower(c) && !parse.IsDigit(c) && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

// endsInSystemError reports whether a message ends with a system error. It also accepts some messages of ssh, rsync and
// gzip, and every message that begins with "error".
func endsInSystemError(message string) bool {
	if i := strings.LastIndex(message, " ("); i > 0 && strings.HasSuffix(message, ")") &&
		parse.AllDigits(message[i+2:len(message)-1]) { // the number of the error
		message = message[:i]
	}
	for _, w := range unixErrors {
		if i := strings.Index(message, w); i >= 0 &&
			(len(message)-i-len(w) < 3 || strings.HasPrefix(w, "rsync") || strings.HasPrefix(w, "Could not")) {
			return true
		}
	}
	return hasAnySuffix(message, noSuchFile...) || hasAnySuffix(message, noPermission...) ||
		strings.HasPrefix(message, "error") || strings.Contains(message, "Could not resolve host") ||
		strings.Contains(message, "not in gzip format")
}
