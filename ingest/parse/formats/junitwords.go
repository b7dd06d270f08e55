package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
)

// junitFrame returns a line of a failure without what Vitest and Playwright put before a place. It is "" for a frame in
// a package that was installed.
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

// isPlace reports whether a message begins with a place, as those of Playwright do.
func isPlace(message string) bool {
	p, _, ok := parse.PlaceAt(message)
	return ok && p.Column > 0
}

// junitWords returns the words of a failure whose message does not have them. In reports of PHPUnit they stand between
// the name of the test and the place, in those of Playwright below the place. It is "" in other reports.
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
