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

// isPlace reports whether a message begins with a place, as messages of Playwright do.
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
