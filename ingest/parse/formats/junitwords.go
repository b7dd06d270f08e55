package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
)

// junitFrame returns a line of a failure without the prefix that Vitest or Playwright puts before a place. It returns
// "" for a frame in an installed package.
func junitFrame(text string) string {
	if frame, ok := strings.CutPrefix(text, "❯ "); ok {
		if strings.Contains(frame, "node_modules/") {
			return ""
		}
		return frame[strings.LastIndexByte(frame, ' ')+1:]
	}
	if strings.HasPrefix(text, "[") {
		if _, rest, ok := strings.Cut(text, "] › "); ok {
			return rest
		}
	}
	return text
}

// isPlace reports whether a message begins with a file, a line and a column, as messages of Playwright do.
func isPlace(message string) bool {
	p, _, ok := parse.PlaceAt(message)
	return ok && p.Column > 0
}

// junitWords returns the message in the text of a failure, for reports without the attribute message. PHPUnit writes
// the message between the name of the test and the place. Playwright writes it below the place. For other reports
// junitWords returns "".
func junitWords(body string) string {
	lines := strings.Split(strings.TrimSpace(parse.StripEscapes(body)), "\n")
	switch last := lines[len(lines)-1]; {
	case len(lines) < 3:
		return ""
	case strings.Contains(lines[0], "::") && strings.Contains(last, ".php:"):
		lines = lines[1:]
		for len(lines) > 1 && strings.Contains(lines[len(lines)-1], ".php:") {
			lines = lines[:len(lines)-1]
		}
	case strings.Contains(lines[0], " › "):
		lines = lines[1:]
	default:
		return ""
	}
	return firstLines(strings.TrimSpace(strings.Join(lines, "\n")))
}

// nativeWords reads the text of a failure of Catch2, doctest or Boost.Test. The attribute message is not enough: Catch2
// and doctest put only the expression there, and Boost.Test always puts "failure" there.
func nativeWords(body string) (message string, p parse.Place, ok bool) {
	head, rest, _ := strings.Cut(strings.TrimSpace(body), "\n")
	switch strings.TrimSpace(head) {
	case "FAILED:":
		return catch2Words(rest)
	case "ASSERTION FAILURE:", "UNCAUGHT EXCEPTION:":
		return boostWords(rest)
	}
	if p, end, placed := parse.PlaceAt(head); placed && end == "" && strings.HasSuffix(head, ":") { // doctest
		var words parse.Message
		for line := range strings.Lines(rest) {
			words.Add(line)
		}
		return words.String(), p, !words.Empty()
	}
	return "", p, false
}

// catch2Words reads "CHECK( 1 == 2 )", the lines that explain it, and "at a.cpp:5".
func catch2Words(text string) (message string, p parse.Place, ok bool) {
	var words parse.Message
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if at, found := strings.CutPrefix(line, "at "); found {
			if p, _, ok = parse.PlaceAt(at + ":"); ok {
				break
			}
		}
		words.Add(line)
	}
	return words.String(), p, ok && !words.Empty()
}

// boostWords reads the list "- file   : a.cpp", "- line   : 6", "- message: …". The text of an exception is between two
// rows of dashes. After the second row, the list has the last place that the test reached before the exception.
func boostWords(text string) (message string, p parse.Place, ok bool) {
	trace := false
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		switch value = strings.TrimSpace(value); strings.TrimSpace(name) {
		case "- file":
			if value != "unknown location" {
				p.File = value
			}
		case "- line":
			p.Line, _ = parse.Number(value)
		case "- message":
			if message == "" {
				message = value
			}
		case "EXCEPTION STACK TRACE":
			trace = true
		default:
			if trace && message == "" {
				message = strings.TrimSpace(line)
			}
		}
	}
	return message, p, message != ""
}
