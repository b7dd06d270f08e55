package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// javacFormat reads javac and javadoc, also in the output of Ant and Gradle: a place, the source line, a caret, and
// details.
var javacFormat = parse.Format{
	Name:  "javac",
	About: "javac and javadoc: errors and warnings",
	// ".java:" is not a trigger, because most lines of a stack trace contain it.
	Triggers: []string{": error:", ": warning:", ": Error:", ": Warning:", ": ERROR:", ": WARNING:", ": fatal"},
	Starts:   []string{"error: ", "warning: "},
	Lines:    javacLines,
	Match:    matchJavac,
}

// javacLines are the patterns of javac's lines. Formats of tools that run javac use them, too.
var javacLines = parse.Lines{
	{Text: "{place:.java}: {severity}: {message}", Category: store.CategoryCompile, If: isJavacFinding,
		Below: javacBelow},
}

// matchJavac reads messages without a place. It also reads the output of Gradle before 4.5, where the place follows the
// task name: ":compileJava/x/A.java:5: error: …".
func matchJavac(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if hasAnyPrefix(text, "error: ", "warning: ") {
		return javacRemark(s, text)
	}
	slash := strings.IndexByte(text, '/')
	if slash < 1 || text[0] != ':' || !isJavaName(strings.ReplaceAll(text[1:slash], ":", "")) {
		return false
	}
	d, ok := javacLines.Read(text[slash:])
	if ok {
		s.Block(javacBelow(s.Add(d), l))
	}
	return ok
}

// isJavacFinding reports whether a draft is a finding of javac or Checkstyle. Javac prints no column, and puts the rule
// before the message. A finding with a column, or with the rule at its end, comes from Checkstyle. isJavacFinding moves
// the rule from the message to the code.
func isJavacFinding(d *parse.Draft) bool {
	if d.Severity == store.SeverityInfo || d.File[0] == ':' { // a task of Gradle
		return false
	}
	if message, rule, ok := cutTrailingRule(d.Message); ok || d.Column > 0 {
		d.Message, d.Code, d.Tool, d.Category = message, rule, "checkstyle", store.CategoryLint
	} else if message, rule, ok := cutBracketRule(d.Message); ok {
		d.Message, d.Code = message, rule
	}
	d.Key = findingKey(d.Event)
	return true
}

// javacBelow reads the lines below a message of javac: the source line, the caret and the details.
func javacBelow(d *parse.Draft, _ parse.Line) func(parse.Line) parse.Verdict {
	source, caret := 0, false
	return func(l parse.Line) parse.Verdict {
		text := l.Text
		switch {
		case javacDetail(d, text, caret):
		case !caret && strings.TrimSpace(text) == "^":
			caret = true
		case caret || source > 6 || l.Indent() == 0 && strings.Contains(text, ".java:"):
			return parse.Done
		case l.Indent() == 0 && isJavacCount(text):
			return parse.Done
		case source > 0 && l.Indent() == 0 && strings.HasPrefix(text, "> "):
			return parse.Done
		default:
			if source++; strings.TrimSpace(text) == "" && source > 1 {
				return parse.Done
			}
			return parse.Take
		}
		d.Extend(l)
		return parse.Take
	}
}

// javacDetail reads a detail such as "  symbol:   variable foo". It reports whether the line was a detail.
func javacDetail(d *parse.Draft, text string, caret bool) bool {
	trimmed := strings.TrimSpace(text)
	for _, label := range [...]string{"symbol:", "location:", "required:", "found:", "found: ", "reason:", "where ",
		"reason :"} {
		if !strings.HasPrefix(trimmed, label) || len(trimmed) == len(text) {
			continue
		}
		if label == "symbol:" {
			d.Message += ": " + strings.Join(strings.Fields(trimmed[len(label):]), " ")
		}
		return true
	}
	return caret && (strings.HasPrefix(text, "    (") ||
		strings.HasPrefix(text, "    ") && strings.HasSuffix(trimmed, ")") && strings.HasPrefix(trimmed, "method "))
}

// isJavacCount reports whether text is "2 errors" or "1 warning".
func isJavacCount(text string) bool {
	_, n := parse.Number(text)
	if n == 0 {
		return false
	}
	word := strings.TrimSuffix(strings.TrimSpace(text[n:]), "s")
	return word == "error" || word == "warning"
}

// javacRemarks are beginnings of javac's messages without a place.
var javacRemarks = []string{
	"invalid flag: ", "invalid target release: ", "invalid source release: ", "release version ", "file not found: ",
	"no source files", "module not found: ",
	"Source option ", "Target option ", "source value ", "target value ", "[options] ", "[path] ", "error reading ",
	"error while writing ",
	"warnings found and -Werror specified", "class file for ", "Bad service configuration file",
	"Annotation processor '", "directory not found: ",
	"plug-in not found: ", "Class names, '",
}

// javacRemark reads a message without a place, such as "error: invalid target release: 99".
func javacRemark(s *parse.Scan, text string) bool {
	severity, rest, _ := parse.SeverityAt(text)
	known := false
	for _, start := range javacRemarks {
		known = known || strings.HasPrefix(rest, start)
	}
	if !known {
		return false
	}
	e := store.Event{Severity: severity, Message: rest, Category: store.CategoryCompile}
	if message, rule, ok := cutBracketRule(rest); ok {
		e.Message, e.Code = message, rule
	}
	s.Add(parse.Draft{Event: e, Weight: javacWeight(rest)})
	return true
}

// javacWeight returns Repeat for -Werror's message, because the warnings come before it.
func javacWeight(message string) parse.Weight {
	if strings.HasPrefix(message, "warnings found and -Werror") {
		return parse.Repeat
	}
	return parse.Certain
}

// orElse returns text, or other if text is empty.
func orElse(text, other string) string {
	if text != "" {
		return text
	}
	return other
}
