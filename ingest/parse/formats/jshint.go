package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// jshintFormat reads the text output of the linters JSHint, JSCS, CSSLint and CoffeeLint.
var jshintFormat = parse.Format{
	Name:  "jshint",
	About: "JSHint, JSCS, CSSLint, CoffeeLint, also under Grunt",
	Triggers: []string{
		": line ", "  line ", " at line ", ".js :", ".jsx :", ".es6 :", "csslint: There ", ".coffee", "✗ #", "⚡ #", "Lint! »",
		".js:", ".jsx:", ".es6:",
	},
	Starts: []string{`Running "jshint:`},
	Lines: parse.Lines{
		{Text: "{path}: line {line}, col {column}, {message} ({code:W###|E###|I###})"},
		{Text: "{path}: line {line}, col {column}, {code:require*|disallow*|validate*|maximum*}: {message}", Tool: "jscs"},
		{Text: "{file}: line {line}, col {column}, {message}"},
		{Text: "{code:require*|disallow*|validate*|maximum*}: {message} at {path} :", Tool: "jscs", Below: jscsSource},
		{Text: "^{message} at {path} :", Tool: "jscs", Below: jscsSource},
		{Text: "^{file:.js|.jsx|.es6}:{line}:{column}: {code:require*|disallow*|validate*|maximum*}: {message}", Tool: "jscs"},
		{Text: "^{place+column:.js|.jsx|.es6}: {message}", Weight: parse.Likely,
			If: func(d *parse.Draft) bool { return strings.HasSuffix(d.Message, ".") }},
	},
	New: func() parse.Matcher { return new(jshint).match },
}

// jshint keeps the file whose findings follow.
type jshint struct {
	file string
	last int // line of the newest finding
}

var jshintRows = parse.Lines{
	{Text: "line {line} {_}col {column} {message}"}, // printed by jshint-stylish
	{Text: "{#}: {severity} at line {line}, col {column}", Tool: "csslint"},
	{Text: "✗ #{line}: {message}", Tool: "coffeelint"},
	{Text: "⚡ #{line}: {message}", Tool: "coffeelint", Severity: store.SeverityWarning},
}

func (j *jshint) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if strings.HasPrefix(text, `Running "jshint:`) {
		s.Block((&jshintGrunt{s: s}).line)
		return false
	}
	if mark, name, ok := strings.Cut(text, " "); ok && (mark == "✗" || mark == "⚡") && strings.HasSuffix(name, ".coffee") {
		j.file, j.last = name, l.N
		return true
	}
	if rest, ok := strings.CutPrefix(text, "csslint: There "); ok {
		_, j.file, ok = strings.Cut(strings.TrimSuffix(rest, "."), " in ")
		return ok
	}
	d, ok := jshintRows.Read(text)
	if !ok {
		return strings.HasPrefix(text, "✗ Lint! »")
	}
	if said := s.Said(1); d.Tool == "" && j.last != l.N-1 && len(said) > 0 {
		j.file = said[0].Trim()
	}
	if d.File = j.file; !parse.IsFileName(d.File) || d.Tool == "coffeelint" && j.last != l.N-1 {
		return false
	}
	j.last = l.N
	d.Category, d.Message = store.CategoryLint, strings.TrimSpace(d.Message)
	if added := s.Add(d); d.Tool == "csslint" {
		s.Block(parse.Below{Lines: 1, Join: " "}.Block(added))
	}
	return true
}

// jscsSource reads the source below a finding of JSCS. A ruler such as "-----^" is below the line of source that has
// the finding. The source and the ruler show the line and the column of the finding.
func jscsSource(d *parse.Draft, _ parse.Line) func(parse.Line) parse.Verdict {
	return func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if n, _, ok := strings.Cut(text, " |"); ok && parse.AllDigits(n) && d.Column == 0 {
			d.Line, _ = parse.Number(n)
		} else if strings.HasSuffix(text, "-^") {
			d.Column = max(1, len(text)-8)
		} else if !ok {
			return parse.Done
		}
		d.Extend(l)
		return parse.Take
	}
}

// jshintGrunt reads the findings of grunt-contrib-jshint: a file, its lines, and the messages below each line. The
// oldest versions print "Linting a.js...ERROR" and "[L2:C14] W033: Missing semicolon." before each line.
type jshintGrunt struct {
	s      *parse.Scan
	file   string
	row    int
	source bool // the source line of the newest finding follows
}

func (j *jshintGrunt) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	number, _, source := strings.Cut(text, " |")
	message, caret := strings.CutPrefix(text, "^ ")
	switch {
	case text == "" && j.file == "", j.old(text):
		return parse.Take
	case source && parse.AllDigits(number):
		j.row, _ = parse.Number(number)
	case caret && j.row > 0:
		j.s.Add(parse.Draft{Event: store.Event{File: j.file, Line: j.row, Message: message, Category: store.CategoryLint}})
	case l.Indent() == 3 && parse.IsFileName(text):
		j.file = text
	default:
		return parse.Done
	}
	return parse.Take
}

// old reads a line of the oldest versions.
func (j *jshintGrunt) old(text string) bool {
	if j.source {
		j.source = false
		return true
	}
	if file, ok := strings.CutPrefix(text, "Linting "); ok {
		j.file, ok = strings.CutSuffix(file, "...ERROR")
		return ok
	}
	d, ok := jshintOld.Read(text)
	if d.File = j.file; !ok || j.file == "" {
		return false
	}
	j.source = true
	d.Category = store.CategoryLint
	j.s.Add(d)
	return true
}

var jshintOld = parse.Lines{{Text: "[L{line}:C{column}] {code}: {message}"}}
