package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// dartFormat reads the analyzer and the test runner of Dart and Flutter.
var dartFormat = parse.Format{
	Name:     "dart",
	About:    "Dart and Flutter: analyze, test, compiler",
	Triggers: []string{" • ", " [E]", ".dart:"},
	New:      parse.Stateless(matchDart),
}

func matchDart(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if name, ok := strings.CutSuffix(text, " [E]"); ok {
		return dartTest(s, name)
	}
	if d, ok := dartIssue(text); ok {
		s.Add(d)
		return true
	}
	p, rest, ok := parse.PlaceAt(text)
	if !ok || !strings.HasSuffix(p.File, ".dart") || l.Indent() > 0 {
		return false
	}
	severity, message, ok := parse.SeverityAt(rest)
	if !ok || severity == store.SeverityInfo {
		return false
	}
	d := s.Add(parse.Draft{Event: store.Event{Severity: severity, File: p.File, Line: p.Line, Column: p.Column, Message: message, Category: store.CategoryCompile}})
	lines := 0
	s.Block(func(l parse.Line) parse.Verdict { // the source and the caret
		if lines++; lines > 2 || strings.TrimSpace(l.Text) == "" {
			return parse.Done
		}
		d.Extend(l)
		return parse.Take
	})
	return true
}

// dartIssue reads "error • message • lib/a.dart:3:5 • code" and "error -
// lib/a.dart:3:5 - message - code".
func dartIssue(text string) (d parse.Draft, ok bool) {
	sep := " • "
	parts := strings.Split(text, sep)
	if len(parts) < 4 {
		parts = strings.Split(text, " - ")
		if len(parts) < 4 {
			return d, false
		}
		n := len(parts)
		parts = []string{parts[0], strings.Join(parts[2:n-1], " - "), parts[1], parts[n-1]}
	}
	n := len(parts)
	p, _, ok := parse.PlaceAt(strings.TrimSpace(parts[n-2]))
	if !ok || !hasAnySuffix(p.File, ".dart", ".yaml") {
		return d, false
	}
	switch strings.TrimSpace(parts[0]) {
	case "error":
		d.Severity = store.SeverityError
	case "warning", "info", "hint", "lint":
		d.Severity = store.SeverityWarning
	default:
		return d, false
	}
	d.File, d.Line, d.Column, d.Code = p.File, p.Line, p.Column, strings.TrimSpace(parts[n-1])
	d.Message, d.Category = strings.TrimSpace(strings.Join(parts[1:n-2], sep)), store.CategoryLint
	return d, true
}

// dartTest reads "00:01 +1 -1: test/a_test.dart: group name [E]" and what is
// indented below it.
func dartTest(s *parse.Scan, text string) bool {
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
	var msg []string
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
		if ok && strings.HasSuffix(frame, ".dart") && parse.IsDigit(line[0]) {
			if !placed && !strings.HasPrefix(frame, "package:") {
				d.File, placed = frame, true
				d.Line, _ = parse.Number(line)
				d.Column, _ = parse.Number(column)
			}
			return parse.Take
		}
		if msg = append(msg, text); len(msg) <= 4 && !strings.HasPrefix(text, "package:") {
			d.Message = strings.Join(msg, "\n")
		}
		return parse.Take
	})
	return true
}
