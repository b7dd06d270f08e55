package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// phpcsFormat reads the full report and the emacs report of PHP_CodeSniffer.
var phpcsFormat = parse.Format{
	Name:     "phpcs",
	About:    "PHP_CodeSniffer: full and emacs reports",
	Triggers: []string{": error - ", ": warning - "},
	Starts:   []string{"FILE: "},
	Match:    matchPHPCS,
}

func matchPHPCS(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if file, ok := strings.CutPrefix(text, "FILE: "); ok {
		s.Block((&phpcsTable{s: s, file: file}).line)
		return true
	}
	p, rest, ok := parse.PlaceAt(text)
	severity, message, found := strings.Cut(rest, " - ")
	if !ok || !found || severity != "error" && severity != "warning" || p.Column == 0 {
		return false
	}
	e := store.Event{Severity: store.Severity(severity), File: p.File, Line: p.Line, Column: p.Column,
		Category: store.CategoryLint}
	e.Message, e.Code = phpcsCode(message)
	s.Add(parse.Draft{Event: e})
	return true
}

// phpcsTable reads the rows below a file: " 3 | ERROR | [x] message", and continuation rows: "   |       |     more".
type phpcsTable struct {
	s     *parse.Scan
	file  string
	d     *parse.Draft
	rules int
}

func (t *phpcsTable) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	cells := strings.SplitN(text, "|", 3)
	switch {
	case strings.HasPrefix(text, "-----"):
		if t.rules++; t.rules == 3 {
			return parse.Last
		}
		return parse.Take
	case t.rules < 2 && (text == "" || strings.HasPrefix(text, "FOUND ") || t.d == nil && len(cells) < 3):
		if t.rules == 0 && text != "" && !strings.HasPrefix(text, "FOUND ") { // the line continues a long file name
			t.file += text
		}
		return parse.Take
	case len(cells) < 3:
		return parse.Done
	}
	line, n := parse.Number(strings.TrimSpace(cells[0]))
	message := strings.TrimSpace(cells[2])
	if n == 0 {
		if t.d != nil {
			t.d.Message, t.d.Code = phpcsCode(t.d.Message + " " + message)
			t.d.Extend(l)
		}
		return parse.Take
	}
	for _, box := range [...]string{"[ ] ", "[x] "} {
		message = strings.TrimPrefix(message, box)
	}
	e := store.Event{Severity: store.SeverityError, File: t.file, Line: line, Category: store.CategoryLint}
	if strings.TrimSpace(cells[1]) == "WARNING" {
		e.Severity = store.SeverityWarning
	}
	e.Message, e.Code = phpcsCode(message)
	t.d = t.s.Add(parse.Draft{Event: e})
	return parse.Take
}

// phpcsCode splits "message (PSR1.Classes.ClassDeclaration.MissingNamespace)".
func phpcsCode(text string) (message, code string) {
	i := strings.LastIndex(text, " (")
	if i < 0 || !strings.HasSuffix(text, ")") {
		return text, ""
	}
	code = text[i+2 : len(text)-1]
	if strings.Count(code, ".") < 2 || strings.IndexByte(code, ' ') >= 0 {
		return text, ""
	}
	return text[:i], code
}

// phpstanFormat reads PHPStan's table and its raw output.
var phpstanFormat = parse.Format{
	Name:   "phpstan",
	About:  "PHPStan: table and raw output",
	Starts: []string{"  Line   ", " [ERROR] Found "},
	Lines: parse.Lines{
		{Text: "{file:.php}:{line}:{message}", Category: store.CategoryType, Weight: parse.Likely, If: isSentence},
	},
	Triggers: []string{".php:"},
	Match:    matchPHPStan,
}

// isSentence reports whether a message is a sentence. It excludes output of grep, which prints a place and source code
// in the same form as PHPStan's raw output.
func isSentence(d *parse.Draft) bool {
	m := d.Message
	return m[0] >= 'A' && m[0] <= 'Z' && strings.HasSuffix(m, ".") && strings.Count(m, " ") > 1
}

func matchPHPStan(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if rest, ok := strings.CutPrefix(text, "[ERROR] Found "); ok {
		if _, n := parse.Number(rest); n > 0 && strings.Contains(rest, " error") {
			s.Add(parse.Draft{Weight: parse.Repeat,
				Event: store.Event{Message: text[len("[ERROR] "):], Category: store.CategoryType}})
			return true
		}
		return false
	}
	file, ok := strings.CutPrefix(text, "Line")
	if file = strings.TrimSpace(file); !ok {
		return false
	}
	if i := strings.Index(file, " (in context of "); i > 0 {
		file = file[:i]
	}
	if file != "Error" && !parse.IsFileName(file) {
		return false
	}
	rules := 0
	var d *parse.Draft
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if strings.HasPrefix(text, "---") {
			if rules++; rules == 2 {
				return parse.Last
			}
			return parse.Take
		}
		if rules == 0 || text == "" {
			return parse.Done
		}
		number, n := parse.Number(strings.TrimPrefix(text, ":"))
		rest := strings.TrimPrefix(text, ":")[n:]
		switch {
		case n > 0 && l.Indent() < 4 && strings.HasPrefix(rest, "  "), l.Indent() < 4:
			d = s.Add(parse.Draft{Event: store.Event{File: file, Line: number, Message: strings.TrimSpace(rest),
				Category: store.CategoryType}})
		case d == nil:
		case strings.HasPrefix(text, "🪪"):
			d.Code = strings.TrimSpace(strings.TrimPrefix(text, "🪪"))
			d.Extend(l)
		case hasAnyPrefix(text, "💡", "✏"):
			d.Extend(l)
		default:
			d.Message += " " + text
			d.Extend(l)
		}
		return parse.Take
	})
	return true
}

// psalmFormat reads Psalm's console report:
// "ERROR: UndefinedVariable - src/A.php:5:10 - message (see https://psalm.dev/024)". It also reads Psalm's text report:
// "src/A.php:5:10:error - UndefinedVariable: message".
var psalmFormat = parse.Format{
	Name:     "psalm",
	About:    "Psalm: console and text reports",
	Triggers: []string{".php:"},
	Lines: parse.Lines{
		{Text: "ERROR: {code} - {place} - {message}{? (see http{_})}", Category: store.CategoryType},
		{Text: "{place+column:.php}{severity:error|warning} - {code}: {message}", Category: store.CategoryType},
	},
}

// phpcsfixerFormat reads PHP CS Fixer's list: "   1) src/A.php (braces)".
var phpcsfixerFormat = parse.Format{
	Name:     "php-cs-fixer",
	About:    "PHP CS Fixer: files that need fixing",
	Triggers: []string{"   1) "}, // as a start with three blanks, it would be looked up for every indented line
	Match:    matchPHPCSFixer,
}

func matchPHPCSFixer(s *parse.Scan, l parse.Line) bool {
	if !phpcsFixed(s, l) {
		return false
	}
	s.Block(func(l parse.Line) parse.Verdict {
		switch {
		case phpcsFixed(s, l):
			return parse.Take
		case hasAnyPrefix(l.Trim(), "Found ", "Fixed ", "Checked all files"):
			return parse.Done
		}
		return parse.Pass // --diff shows the changes
	})
	return true
}

// phptFormat reads PHP's own test runner, run-tests: "FAIL name [path.phpt]".
var phptFormat = parse.Format{
	Name:     "phpt",
	About:    "PHP's run-tests.php",
	Triggers: []string{".phpt]"},
	Lines: parse.Lines{
		{Text: "{code:FAIL|BORK|LEAK|WARN|FAIL&LEAK} {message} [{file}]{_}", Category: store.CategoryTest,
			Then: namePHPT},
	},
}

// namePHPT names the test after its file.
func namePHPT(d *parse.Draft) {
	if d.Code == "WARN" { // a test passed that was expected to fail, but run-tests still succeeds
		d.Severity = store.SeverityWarning
	}
	d.Code, d.Test, d.Key = "", d.File, d.File
}

var phpcsFixedLine = parse.Lines{{
	// mocha prints such a line for a failed test that is named after a PHP file. So these events have the weight
	// Likely: they are dropped if an event with the weight Certain follows, such as mocha's event for the test.
	Text: "{#}) {file:.php}{? ({message})}", Message: "needs fixing", Weight: parse.Likely,
	Then: func(d *parse.Draft) {
		if d.Message != "needs fixing" {
			d.Message = "needs fixing: " + d.Message
		}
	},
}}

// phpcsFixed adds an event for a line of PHP CS Fixer's list.
func phpcsFixed(s *parse.Scan, l parse.Line) bool {
	d, ok := phpcsFixedLine.Read(l.Text)
	if ok {
		s.Add(d)
	}
	return ok
}
