package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// cmakeFormat reads the messages of cmake while it configures and generates, and errors of cpack.
var cmakeFormat = parse.Format{
	Name:  "cmake",
	About: "CMake errors and warnings, with their call stack",
	Starts: []string{
		"CMake Error", "CMake Warning", "CMake Deprecation ", "CPack Error", "-- Configuring incomplete",
		"CMake Generate step failed", "-- Generating done",
	},
	Match: matchCMake,
}

func matchCMake(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case strings.HasPrefix(text, "-- Configuring incomplete"), strings.HasPrefix(text, "CMake Generate step failed"):
		s.Add(parse.Draft{Event: store.Event{Message: strings.TrimPrefix(text, "-- "), Category: store.CategoryBuild},
			Weight: parse.Repeat})
		return true
	case strings.HasPrefix(text, "-- "):
		return true
	}
	head, e := cmakeHead(text)
	if head == "" {
		return false
	}
	e.Category = store.CategoryBuild
	d := s.Add(parse.Draft{Event: e})
	cmakeBlock(s, d)
	return true
}

// cmakeHead reads the first line:
//
//	CMake Error at CMakeLists.txt:5 (find_package):
//	CMake Error: The source directory "/x" does not exist.
func cmakeHead(text string) (head string, e store.Event) {
	for _, w := range [...]struct {
		word     string
		severity store.Severity
	}{
		{"CMake Error", store.SeverityError}, {"CMake Warning", store.SeverityWarning},
		{"CMake Deprecation Warning", store.SeverityWarning}, {"CMake Deprecation Error", store.SeverityError},
		{"CPack Error", store.SeverityError},
	} {
		rest, ok := strings.CutPrefix(text, w.word)
		if !ok {
			continue
		}
		rest = strings.TrimPrefix(rest, " (dev)")
		e.Severity = w.severity
		switch {
		case strings.HasPrefix(rest, " at "):
			e.File, e.Line, e.Code = cmakePlace(strings.TrimSuffix(rest[4:], ":"))
		case strings.HasPrefix(rest, " in "):
			e.File = strings.TrimSuffix(rest[4:], ":")
		case strings.HasPrefix(rest, ":"):
			e.Message = strings.TrimSpace(rest[1:])
		default:
			continue
		}
		return w.word, e
	}
	return "", e
}

// cmakePlace reads "CMakeLists.txt:5 (find_package)" and "cmake/x.cmake:EVAL:1 (f)".
func cmakePlace(text string) (file string, line int, command string) {
	file = text
	if i := strings.LastIndex(text, " ("); i > 0 && strings.HasSuffix(text, ")") {
		file, command = text[:i], text[i+2:len(text)-1]
	}
	if i := strings.LastIndexByte(file, ':'); i > 1 {
		if n, length := parse.Number(file[i+1:]); length > 0 && length == len(file)-i-1 {
			return strings.TrimSuffix(file[:i], ":EVAL"), n, command
		}
	}
	return file, 0, command
}

// cmakeBlock reads the indented message and the call stack below it. If the error is inside one of cmake's own modules,
// the place is the line that called the module.
func cmakeBlock(s *parse.Scan, d *parse.Draft) {
	var message []string
	var blank parse.Blanks
	stack := false
	ended := d.Message != ""
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		before, empty := blank.Line(text)
		switch {
		case before == 2 && empty:
			return parse.Done
		case empty:
			ended = ended || len(message) > 0
			return parse.Take
		case strings.HasPrefix(text, "Call Stack (most recent call first)"):
			stack = true
		case l.Indent() < 2:
			return parse.Done
		case stack:
			if file, line, command := cmakePlace(text); isCMakeModule(d.File) && !isCMakeModule(file) {
				d.File, d.Line, d.Code = file, line, command
			}
		case strings.HasPrefix(text, "-- "):
			return parse.Done
		default:
			if len(message) < 12 && (!ended || len(message) < 3) {
				message = append(message, text)
				d.Message = joinCMake(d.Message, text) + missingModule(s, text)
			}
		}
		d.Extend(l)
		return parse.Take
	})
}

// missingModule returns a text that names the package that pkg_check_modules did not find. One of the last lines before
// the error names the package.
func missingModule(s *parse.Scan, message string) string {
	if message != "A required package was not found" {
		return ""
	}
	for _, said := range s.Said(3) {
		if text := strings.TrimLeft(said.Text, "- "); strings.HasSuffix(text, " found") &&
			hasAnyPrefix(text, "No package '", "Package '") {
			return ": " + text
		}
	}
	return ""
}

func joinCMake(message, text string) string {
	if message == "" {
		return text
	}
	return message + " " + text
}

// isCMakeModule reports whether a file came with cmake.
func isCMakeModule(file string) bool {
	file = parse.Slash(file)
	return strings.Contains(file, "/share/cmake") && strings.Contains(file, "/Modules/")
}
