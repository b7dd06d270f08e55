package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// severityWords maps the words of tools to severities.
var severityWords = []struct {
	word     string
	severity store.Severity
}{
	{"fatal error", store.SeverityError}, {"internal compiler error", store.SeverityError}, {"fatal", store.SeverityError},
	{"error", store.SeverityError}, {"Error", store.SeverityError}, {"ERROR", store.SeverityError},
	{"critical", store.SeverityError},
	{"warning", store.SeverityWarning}, {"Warning", store.SeverityWarning}, {"WARNING", store.SeverityWarning},
	{"warn", store.SeverityWarning},
	{"note", store.SeverityInfo}, {"info", store.SeverityInfo}, {"hint", store.SeverityInfo},
	{"remark", store.SeverityInfo}, {"style", store.SeverityInfo},
}

// SeverityAt reads a severity word at the start of text, as in "error: rest". rest has no leading blanks.
func SeverityAt(text string) (s store.Severity, rest string, ok bool) {
	for _, w := range severityWords {
		if after, found := strings.CutPrefix(text, w.word+":"); found {
			return w.severity, strings.TrimLeft(after, " \t"), true
		}
	}
	return "", text, false
}

// isSeverityWord reports whether the text before a colon is a severity, or the name of an error or an exception.
func isSeverityWord(word string) bool {
	for _, w := range severityWords {
		if w.word == word {
			return true
		}
	}
	return len(word) > 5 && (strings.HasSuffix(word, "Error") || strings.HasSuffix(word, "Exception"))
}

// SeverityOf returns the severity for a word of a report. For an unknown word, it returns the argument other.
func SeverityOf(word string, other store.Severity) store.Severity {
	switch strings.ToLower(word) {
	case "error", "fatal", "critical":
		return store.SeverityError
	case "warning", "warn":
		return store.SeverityWarning
	case "info", "information", "notice", "note", "hint", "style":
		return store.SeverityInfo
	}
	return other
}
