package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// phpunitFormat reads PHPUnit 4 to 12 and ParaTest: the numbered lists of errors and failures, and the details of
// --testdox. It skips the lists of risky, incomplete and skipped tests. Codeception prints the same lists.
var phpunitFormat = parse.Format{
	Name:     "phpunit",
	About:    "PHPUnit, ParaTest, Codeception",
	Triggers: []string{"No tests executed!", " ✘ ", " ✖ "},
	Starts: []string{
		"There was 1 ", "There were ", "FAILURES!", "ERRORS!", "Cannot open file \"",
		"An error occurred inside PHPUnit",
	},
	Match: matchPHPUnit,
}

func matchPHPUnit(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case strings.HasPrefix(text, "There w"):
		kind, ok := phpunitKind(text)
		if ok {
			s.Block((&phpunitList{s: s, fails: kind}).line)
		}
		return ok
	case text == "FAILURES!", text == "ERRORS!":
		s.Add(parse.Draft{Weight: parse.Repeat, Event: store.Event{Message: text, Category: store.CategoryTest}})
		return true
	case strings.HasPrefix(text, "Cannot open file \""), strings.HasPrefix(text, "An error occurred inside PHPUnit"):
		s.Add(parse.Draft{Event: store.Event{Message: text, Category: store.CategoryTest}})
		return true
	}
	for _, cross := range [...]string{"✘ ", "✖ "} {
		if name, ok := strings.CutPrefix(text, cross); ok && l.Indent() == 1 {
			phpunitTestdox(s, l, name)
		}
	}
	return false
}

// phpunitKind reads "There were 2 failures:" or "There was 1 PHPUnit error:". fails reports whether the items of the
// list make the run fail.
func phpunitKind(text string) (fails, ok bool) {
	if !strings.HasSuffix(text, ":") {
		return false, false
	}
	rest := text[strings.IndexByte(text[6:], ' ')+7:]
	_, n := parse.Number(rest)
	if n == 0 {
		return false, false
	}
	kind := strings.TrimSpace(rest[n : len(rest)-1])
	switch strings.TrimSuffix(kind, "s") {
	case "failure", "error", "PHPUnit error", "PHPUnit test runner error":
		return true, true
	case "risky test", "incomplete test", "skipped test", "warning", "PHPUnit test runner warning", "deprecation",
		"notice", "PHP warning", "PHP notice", "PHPUnit deprecation", "PHPUnit warning",
		"PHPUnit notice", "test runner warning", "PHPUnit test runner deprecation", "incomplete", "skip", "useless test":
		return false, true
	}
	return false, false
}

// phpunitList reads one numbered list.
type phpunitList struct {
	s     *parse.Scan
	fails bool
	n     parse.Numbering
	d     *parse.Draft
	body  phpunitBody
	blank bool
}

func (b *phpunitList) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	switch {
	case text == "FAILURES!", text == "ERRORS!", text == "WARNINGS!", text == "--",
		hasAnyPrefix(text, "OK, but ", "Tests: ", "There was 1 ", "There were "), strings.HasPrefix(text, "OK ("):
		return parse.Done
	case text == "":
		b.blank = true
		b.body.add("")
		return parse.Take
	}
	if name, ok := b.n.Next(l.Text); ok {
		if class := strings.IndexByte(name, '('); class > 0 && strings.IndexByte(name[:class], ' ') < 0 &&
			!strings.Contains(name[:class], "::") {
			junit := &textRunnerFailures{scan: b.s} // JUnit prints "1) testAdd(com.acme.CalcTest)" there, too
			read := func(l parse.Line) parse.Verdict {
				verdict := junit.line(l)
				if junit.d != nil {
					junit.d.Tool = "junit"
				}
				return verdict
			}
			b.s.Block(read)
			return read(l)
		}
		b.begin(strings.TrimSpace(name))
		return parse.Take
	}
	if b.n == 0 {
		return parse.Done
	}
	if b.d != nil {
		b.d.Extend(l)
		b.body.add(text)
		b.body.tell(b.d)
	}
	return parse.Take
}

func (b *phpunitList) begin(name string) {
	b.body = phpunitBody{}
	if !b.fails {
		return
	}
	b.d = b.s.Add(parse.Draft{Event: store.Event{Test: name, Message: "test failed", Category: store.CategoryTest}})
}

// phpunitBody reads the message of a failure and the frames below it.
type phpunitBody struct {
	msg   parse.Message
	cause bool // the following lines belong to the cause of the exception
	first parse.Place
	test  parse.Place
}

func (b *phpunitBody) add(text string) {
	if p, rest, ok := parse.PlaceAt(text); ok && rest == "" && p.Column == 0 &&
		(strings.HasSuffix(p.File, ".php") || strings.HasSuffix(p.File, ".phpt") || strings.HasSuffix(p.File, ".inc")) {
		b.msg.Break()
		b.frame(p)
		return
	}
	if rest, ok := strings.CutPrefix(text, "Test  "); ok && b.msg.Empty() { // Codeception
		file, _, _ := strings.Cut(rest, ":")
		b.test = parse.Place{File: file}
		return
	}
	if rest, ok := strings.CutPrefix(text, "Fail  "); ok && b.test.File != "" {
		b.msg = parse.Message{}
		text = rest
	}
	switch {
	case text == "Caused by":
		b.cause = true
		b.msg.End()
	case strings.HasPrefix(text, "--- Expected"), strings.HasPrefix(text, "--- Actual"):
		b.msg.End()
	default:
		b.msg.Add(text)
	}
}

func (b *phpunitBody) frame(p parse.Place) {
	if b.cause || strings.Contains(p.File, "/vendor/") {
		return
	}
	if b.first.File == "" {
		b.first = p
	}
	if b.test.Line == 0 && (strings.HasSuffix(p.File, "Test.php") || strings.Contains(p.File, "/tests/") ||
		strings.Contains(p.File, "/Tests/")) {
		b.test = p
	}
}

func (b *phpunitBody) tell(d *parse.Draft) {
	if m := b.msg.String(); m != "" {
		d.Message = m
	}
	p := b.test
	if p.File == "" {
		p = b.first
	}
	if p.File != "" {
		d.File, d.Line = p.File, p.Line
	}
}

// phpunitTestdox reads " ✘ Div", if a box with details follows.
func phpunitTestdox(s *parse.Scan, l parse.Line, name string) {
	var d *parse.Draft
	var body phpunitBody
	s.Block(func(below parse.Line) parse.Verdict {
		rest, ok := strings.CutPrefix(below.Trim(), "│")
		for _, corner := range [...]string{"┐", "├", "┊", "╵", "┴"} {
			if !ok && d != nil && strings.HasPrefix(below.Trim(), corner) {
				rest, ok = strings.TrimPrefix(below.Trim(), corner), true
			}
		}
		if strings.HasPrefix(below.Trim(), "┐") && d == nil {
			rest, ok = "", true
		}
		if !ok {
			return parse.Done
		}
		if d == nil {
			d = s.Add(parse.Draft{Event: store.Event{Test: cutDuration(strings.TrimSuffix(name, "]")), Message: "test failed",
				Category: store.CategoryTest, LogLine: l.N}})
			if i := strings.LastIndex(d.Test, " ["); i > 0 && strings.HasSuffix(name, "ms]") {
				d.Test = d.Test[:i]
			}
		}
		d.Extend(below)
		body.add(strings.TrimSpace(rest))
		body.tell(d)
		return parse.Take
	})
}
