package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// dartFormat reads the analyzer, the compiler and the test runner of Dart and Flutter.
var dartFormat = parse.Format{
	Name:     "dart",
	About:    "Dart and Flutter: analyze, test, compiler",
	Triggers: []string{" • ", " [E]", ".dart:", "Package validation found the following "},
	Lines: parse.Lines{
		{Text: dartSeverity + " • {message} • {place:.dart|.yaml} • {code}"},
		{Text: dartSeverity + " - {place:.dart|.yaml} - {message} - {code}"},
		{Text: "^{place:.dart}: {severity:Error=error|Warning=warning|error|warning}: {message}",
			Category: store.CategoryCompile, Below: parse.Caret{}.Pattern},
		{Text: "^Package validation found the following {:potential issue|error}{*}", Message: "package validation",
			Category: store.CategoryBuild, Weight: parse.Likely,
			Below: parse.Below{Starts: []string{"* "}, Join: ": ", Parts: 1}.Pattern},
	},
	Match: matchDartTest,
}

const dartSeverity = "{severity:error|warning|info=warning|hint=warning|lint=warning}"

// matchDartTest reads "00:01 +1 -1: test/a_test.dart: group name [E]" and the indented lines below.
func matchDartTest(s *parse.Scan, l parse.Line) bool {
	text, ok := strings.CutSuffix(l.Trim(), " [E]")
	if !ok {
		return false
	}
	i := strings.Index(text, ": ")
	if i < 8 || !parse.IsDigit(text[0]) || text[2] != ':' || !strings.Contains(text[:i], " -") {
		return false
	}
	name := text[i+2:]
	e := store.Event{Test: name, Message: name, Category: store.CategoryTest}
	if file, test, ok := strings.Cut(name, ": "); ok && strings.HasSuffix(file, ".dart") {
		e.Test = test
		e.File = file
	}
	d := s.Add(parse.Draft{Event: e})
	msg := parse.Message{Max: 4}
	placed, lines := false, 0
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		lines++
		if text != "" && l.Indent() < 2 || lines > 80 {
			return parse.Done
		}
		if text == "" {
			return parse.Take
		}
		d.Extend(l)
		frame, rest, _ := strings.Cut(text, " ")
		line, column, ok := strings.Cut(rest, ":")
		if ok && strings.HasSuffix(frame, ".dart") && parse.IsDigit((line + " ")[0]) {
			if !placed && !strings.HasPrefix(frame, "package:") {
				d.File, placed = frame, true
				d.Line, _ = parse.Number(line)
				d.Column, _ = parse.Number(column)
			}
			return parse.Take
		}
		if !strings.HasPrefix(text, "package:") {
			msg.Tell(d, text)
		}
		return parse.Take
	})
	return true
}
