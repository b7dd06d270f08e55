package parse

import "strings"

// These functions tell how much a last line of a step says about its failure.

// tidiesUp reports whether a line says that a program cleans up, or that it has ended.
func tidiesUp(text string) bool {
	text = strings.TrimRight(strings.TrimSpace(text), ".!")
	lower := strings.ToLower(text)
	switch lower {
	case "done", "finished", "exiting":
		return true
	}
	first, _, _ := strings.Cut(lower, " ")
	switch first {
	case "cleaning", "cleanup", "stopping", "shutting", "removing", "deleting", "killing", "terminating", "tearing":
		return !SpeaksOfFailure(text)
	}
	return false
}

// saysFine reports whether a line says that something is in order: "parse_a ... ok".
func saysFine(text string) bool {
	text = strings.ToLower(strings.TrimRight(strings.TrimSpace(text), ".!])"))
	if strings.Contains(text, " ok\t") || strings.HasPrefix(text, "ok ") || strings.HasPrefix(text, "✓") ||
		strings.HasPrefix(text, "pass") {
		return !strings.Contains(text, "fail")
	}
	for _, end := range [...]string{" ok", " pass", " passed", " done", " success", " succeeded", "✓"} {
		if strings.HasSuffix(text, end) || strings.HasSuffix(text, "["+end[1:]) {
			return true
		}
	}
	return false
}

// isActivity reports whether a line says what a program is about to do: "Checking a.conf".
func isActivity(text string) bool {
	first, rest, _ := strings.Cut(strings.TrimPrefix(text, "▸ "), " ") // the mark is xcpretty's
	if isQuietMake(first) && strings.HasPrefix(rest, " ") {
		return true
	}
	if !strings.HasSuffix(first, "ing") || strings.ContainsAny(rest, ":") {
		return false
	}
	switch strings.ToLower(first) {
	case "missing", "warning", "failing", "nothing", "string", "during":
		return false
	}
	return true
}

// isQuietMake reports whether a makefile prints this word before the name of a file instead of a command.
func isQuietMake(word string) bool {
	switch word {
	case "AR", "AS", "CC", "CCLD", "CXX", "CXXLD", "GEN", "LD", "LINK", "TEST":
		return true
	}
	return false
}

// isSum reports whether a line counts results: "2 problems found", "Passed 3/4".
func isSum(text string) bool {
	if len(text) > 80 || !strings.ContainsAny(text, "0123456789") {
		return false
	}
	for _, word := range strings.Fields(strings.ToLower(text)) {
		switch strings.Trim(word, ".,:;!()[]") {
		case "problem", "problems", "passed", "failed", "failures", "errors", "issues", "tests", "files", "checks":
			return true
		}
	}
	return false
}

// advises reports whether a line says only what to do: "Please run make fmt."
func advises(text string) bool {
	first, _, _ := strings.Cut(strings.ToLower(strings.TrimLeft(text, "!>*- ")), " ")
	return first == "please" || first == "run" || first == "try"
}
