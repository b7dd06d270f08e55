package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// boostTestFormat reads the human-readable log of Boost.Test.
var boostTestFormat = parse.Format{
	Name:  "boost-test",
	About: "Boost.Test",
	Triggers: []string{
		`error: in "`, `warning: in "`, "rror in \"", "detected in the test module", "detected in test module",
	},
	Starts: []string{"Test setup error: ", "An unrecognized parameter in the argument "},
	Lines: parse.Lines{
		{Text: "^Test setup error: {message}", Category: store.CategoryTest},
		{Text: "^«An unrecognized parameter in the argument {*}»", Category: store.CategoryTest},
	},
	New: func() parse.Matcher { return new(boostTest).match },
}

type boostTest struct {
	last *parse.Draft
}

// match reads `test.cpp(8): error: in "suite/case": check a == b has failed [4 != 5]`, and the summary of the failures:
// `*** 1 failure is detected in the test module "shop"`.
func (b *boostTest) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if strings.Contains(text, "detected in ") {
		if !strings.HasPrefix(text, "*** ") || strings.HasPrefix(text, "*** No errors") {
			return false
		}
		s.Add(parse.Draft{Event: store.Event{Message: strings.TrimPrefix(text, "*** "), Category: store.CategoryTest},
			Weight: parse.Repeat})
		return true
	}
	p, rest, ok := boostPlace(text)
	if !ok {
		return false
	}
	severity, rest, ok := boostSeverity(rest)
	if !ok {
		return false
	}
	rest, ok = strings.CutPrefix(rest, "in \"")
	if !ok {
		return false
	}
	test, message, ok := strings.Cut(rest, "\"")
	if !ok {
		return false
	}
	message = strings.TrimPrefix(strings.TrimPrefix(message, ":"), " ")
	d := parse.Draft{Event: store.Event{Severity: severity, File: p.File, Line: p.Line, Column: p.Column,
		Message: message, Test: test, Category: store.CategoryTest}, Key: test}
	if severity == store.SeverityWarning {
		d.Key = ""
	} else if s.Reported("boost-test", test) != nil {
		d.Rank = parse.Mark // the first failed check represents the test
	}
	b.last = s.Add(d)
	b.detail(s, b.last)
	return true
}

// detail adds the lines that belong to a finding: its context, a mismatch, or the last checkpoint before an exception,
// such as "test.cpp(20): last checkpoint". A checkpoint also gives the place.
func (b *boostTest) detail(s *parse.Scan, d *parse.Draft) {
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		p, rest, ok := boostPlace(text)
		switch {
		case ok && strings.HasPrefix(rest, "last checkpoint"):
			d.At(p.File, p.Line, 0)
			d.Extend(l)
			return parse.Last
		case strings.HasPrefix(text, "Failure occurred in a following context:") ||
			strings.HasPrefix(text, "Mismatch at position") || l.Indent() > 0 && text != "" && !ok:
			d.Extend(l)
			return parse.Take
		}
		return parse.Done
	})
}

// boostPlace reads the place of a message. For an exception, Boost.Test may print "unknown location(0)" as the place.
func boostPlace(text string) (parse.Place, string, bool) {
	if rest, ok := strings.CutPrefix(text, "unknown location(0): "); ok {
		return parse.Place{}, rest, true
	}
	return parse.PlaceAt(text)
}

// boostSeverity reads "error: ", "fatal error: " or "warning: ". Boost before 1.59 printed "error " and "fatal error ".
func boostSeverity(rest string) (store.Severity, string, bool) {
	for _, w := range [...]struct {
		word     string
		severity store.Severity
	}{
		{"error: ", store.SeverityError}, {"fatal error: ", store.SeverityError}, {"warning: ", store.SeverityWarning},
		{"error ", store.SeverityError}, {"fatal error ", store.SeverityError}, {"fatal error in ", store.SeverityError},
	} {
		if after, ok := strings.CutPrefix(rest, w.word); ok && strings.HasPrefix(after, "in \"") {
			return w.severity, after, true
		}
	}
	return "", rest, false
}
