package formats

import (
	"encoding/json"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/internal/lazyregexp"
	"github.com/blq-ci/blq/store"
)

// eslintFormat reads ESLint and tools with the same output: standard, xo, stylelint and tslint. In the stylish form, a
// line with the file comes first, and then a line for each finding. The other forms are unix, compact, code frame,
// visualstudio and JSON.
var eslintFormat = parse.Format{
	Name:  "eslint",
	About: "ESLint, standard, xo: stylish, unix, compact and code frame output, configuration errors",
	Triggers: []string{"  error  ", "  warning  ", "\terror\t", " error ", " warning ", "Oops! Something went wrong!",
		"ESLint couldn't", "[Error/", "[Error]", "[Warning/", "[error/", "[warning/", " [error]", " [warning]",
		": line ", "standard: ", "ESLint found too many warnings", "✖  ", "⚠  ", ".js:", ".jsx:", ".ts:", ".tsx:", ".css",
		".scss", ".less", ".html:", ".vue:", ".yaml:", ".yml:", ".json:"},
	Starts: []string{
		"/", "C:\\", "D:\\", "./", "src/", "lib/", "test/", "app/", "packages/", "All files matched by '",
		"No files matching",
	},
	Document: &parse.Document{Sniff: func(head []byte) bool { return hasAll(head, `"filePath"`, `"messages"`) },
		Read: readESLintJSON},
	Lines: parse.Lines{
		// ESLint prints this form with --format unix.
		{Text: "{place+column}: {message} [{severity:Error=error|error|Warning=warning|warning}/{code}]", Then: nameLintTool},
		// stylelint prints this form with --formatter unix.
		{Text: "{place+column}: {message}{? ({code})} [{severity:Error=error|error|Warning=warning|warning}]",
			Then: nameStylelint},
		// ESLint and stylelint print this form with the formatter compact.
		{Text: "{file}: line {line}, col {column}, {severity:Error|error|Warning|warning} - {message}{? ({code})}",
			Then: nameStylelint},
		// ESLint before 9 prints this form with --format codeframe. html-validate also prints this form.
		{Text: "{severity:error|warning}: {message} ({code}) at {place+column}", Then: nameFramed,
			Below: parse.Below{Is: isCodeFrame}.Pattern},
		{Text: "error: «Parsing error: {_}» at {place+column}", Category: store.CategoryCompile,
			Below: parse.Below{Is: isCodeFrame}.Pattern},
		// ESLint prints this form with --format visualstudio.
		{Text: "{place}: {severity} {code} : {message}", Then: nameLintTool},
	},
	New: func() parse.Matcher { return new(eslint).match },
}

type eslint struct {
	file    string // the newest line that consists of a file name
	newest  int    // line of the newest finding in the file
	redocly bool   // a colon follows the file name, as in Redocly's stylish output
}

func (e *eslint) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if file, ok := strings.CutSuffix(text, ":"); ok && hasAnySuffix(file, ".yaml", ".yml", ".json") && e.isFile(l, file) {
		e.file, e.newest, e.redocly = file, l.N, true
		return false
	}
	if e.isFile(l, text) {
		e.file, e.newest, e.redocly = text, l.N, false
		if p, ok := jsPlace(text); ok && p.Column > 0 { // xo adds a place
			e.file = p.File
		}
		return false
	}
	switch {
	case e.file != "" && l.N-e.newest <= 2 && l.Indent() > 0 && e.finding(s, text):
		e.newest = l.N
		return true
	case strings.HasPrefix(text, "standard: "):
		e.standard(s)
		return true
	case strings.HasPrefix(text, "Oops! Something went wrong!"):
		e.crash(s, "ESLint crashed")
		return true
	case strings.HasPrefix(text, "ESLint couldn't"), strings.HasPrefix(text, "All files matched by '"),
		strings.HasPrefix(text, "No files matching"):
		s.Add(parse.Draft{Event: store.Event{Message: text, Category: store.CategoryLint}})
		return true
	case strings.HasPrefix(text, "ESLint found too many warnings"):
		s.Add(parse.Draft{Event: store.Event{Message: text, Category: store.CategoryLint, Code: "max-warnings"}})
		return true
	}
	return false
}

// isFile reports whether the line consists of a file name. In ESLint's stylish output the name is absolute. xo and
// stylelint print an indented relative name.
func (e *eslint) isFile(l parse.Line, text string) bool {
	if len(text) < 4 || strings.IndexByte(text, ' ') >= 0 && !parse.IsAbs(text) || l.Indent() > 2 || len(text) > 400 ||
		strings.Contains(text, ": ") {
		return false
	}
	dot := strings.LastIndexByte(text, '.')
	return dot > 0 && dot > strings.LastIndexAny(text, `/\`) && len(text)-dot <= 12 &&
		strings.IndexByte(text[dot:], ' ') < 0 && parse.IsFileName(text) &&
		(parse.IsAbs(text) || text[0] != '.' || strings.HasPrefix(text, "./"))
}

// lintTool returns the name of the linter for a file: stylelint or ESLint. Both print findings in the same form, but
// read different files.
func lintTool(file string) string {
	if hasAnySuffix(file, ".css", ".scss", ".sass", ".less", ".sss", ".pcss") {
		return "stylelint"
	}
	return "eslint"
}

// nameLintTool sets the tool of a finding by its file, or to oxlint by the form of its rule.
func nameLintTool(d *parse.Draft) {
	d.Tool = lintTool(d.File)
	if hasAnySuffix(d.File, ".html", ".htm") {
		d.Tool = "htmlhint"
	}
	nameOxlint(d)
}

// nameFramed sets the tool of a finding with a code frame.
func nameFramed(d *parse.Draft) {
	d.Tool = lintTool(d.File)
	if hasAnySuffix(d.File, ".html", ".htm") {
		d.Tool = "html-validate"
	}
}

// nameOxlint sets the tool of a finding to oxlint if the rule has the form "plugin(rule)". Only oxlint writes rules
// this way.
func nameOxlint(d *parse.Draft) {
	if rule, ok := oxlintRule(d.Code); ok {
		d.Tool, d.Code = "oxlint", rule
	}
}

// oxlintRule returns the rule in "plugin(rule)".
func oxlintRule(s string) (string, bool) {
	plugin, rule, ok := strings.Cut(strings.TrimSuffix(s, ")"), "(")
	return rule, ok && strings.HasSuffix(s, ")") && isRuleName(plugin) && isRuleName(rule)
}

// nameStylelint sets the tool of a finding to stylelint or ESLint by its file.
func nameStylelint(d *parse.Draft) { d.Tool = lintTool(d.File) }

// stylishFinding matches "  3:8  error  'x' is defined but never used  no-unused-vars". Columns are padded with blanks.
// Parsing errors have no rule.
var stylishFinding = lazyregexp.New(`^(?:(\d+):(\d+)\s+(error|warning|✖|⚠|×)|(✖|⚠)\s+(\d+):(\d+)) +(.*)$`)

func (e *eslint) finding(s *parse.Scan, text string) bool {
	if !parse.IsDigit(text[0]) && !hasAnyPrefix(text, "✖", "⚠") {
		return false
	}
	g := stylishFinding.FindStringSubmatch(text)
	if g == nil {
		return false
	}
	d := parse.Draft{Event: store.Event{File: e.file, Category: store.CategoryLint}}
	d.Line, _ = parse.Number(g[1] + g[5])
	d.Column, _ = parse.Number(g[2] + g[6])
	d.Message, d.Code = cutWideRule(g[7])
	d.Tool = lintTool(e.file)
	if message, rules, ok := strings.Cut(d.Message, "  @secretlint/"); ok && d.Code == "" { // "preset > rule"
		d.Tool, d.Message, d.Code = "secretlint", strings.TrimSpace(message), "@secretlint/"+rules
		if i := strings.LastIndex(rules, " > "); i >= 0 {
			d.Code = rules[i+len(" > "):]
		}
	}
	if rule, message, ok := strings.Cut(g[7], "  "); ok && isRuleName(rule) &&
		hasAnySuffix(e.file, ".yaml", ".yml", ".json") { // the rule comes first, and a path last
		message, _, _ = strings.Cut(strings.TrimSpace(message), "  ")
		d.Tool, d.Code, d.Message = "spectral", rule, message
		if e.redocly {
			d.Tool = "redocly"
		}
	} else if e.redocly {
		return false
	}
	if strings.HasSuffix(d.Message, ")") && hasAnySuffix(e.file, ".yml", ".yaml") {
		return false // yamllint prints the same form
	}
	nameOxlint(&d)
	switch g[3] + g[4] {
	case "warning", "⚠":
		d.Severity = store.SeverityWarning
	}
	if strings.HasPrefix(d.Message, "Parsing error: ") {
		d.Category = store.CategoryCompile
	}
	p := s.Add(d)
	if p.Code == "" { // parsers print the source below the message
		e.parserLines(s, p)
	}
	return true
}

// parserLines takes the code frame below a parsing error.
func (e *eslint) parserLines(s *parse.Scan, d *parse.Draft) {
	n := 0
	s.Block(func(l parse.Line) parse.Verdict {
		n++
		if text := l.Trim(); n > 12 || text != "" && !isCodeFrame(l.Text) && !strings.HasPrefix(text, "^") {
			return parse.Done
		}
		if l.Trim() != "" {
			d.Extend(l)
		}
		e.newest = l.N
		return parse.Take
	})
}

// cutWideRule splits "message  rule" at two or more blanks.
func cutWideRule(s string) (message, rule string) {
	s = strings.TrimRight(s, " ")
	i := strings.LastIndex(s, "  ")
	if i < 0 {
		return strings.TrimSpace(s), ""
	}
	rule = s[i+2:]
	if _, ok := oxlintRule(rule); !ok && !isRuleName(rule) {
		return strings.TrimSpace(s), ""
	}
	return strings.TrimSpace(s[:i]), rule
}

// isRuleName reports whether s can be the name of a rule: no-undef, react/jsx-key, @typescript-eslint/ban-types.
func isRuleName(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '-' && c != '/' && c != '_' && c != '@' && c != '.' && !parse.IsDigit(c) &&
			(c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return s != ""
}

// standard reads the findings below "standard: Use JavaScript Standard Style".
func (e *eslint) standard(s *parse.Scan) {
	others := 0
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		switch {
		case strings.HasPrefix(text, "standard: "), l.Indent() == 2 && standardFinding(s, l):
			others = 0
			return parse.Take
		case text == "":
			return parse.Take
		case hasAnyPrefix(text, "npm ERR!", "npm error", "error Command"):
			return parse.Done
		}
		if others++; others > 8 {
			return parse.Done
		}
		return parse.Pass
	})
}

// cutParens splits "message (rule)".
func cutParens(s string, open, end byte) (message, rule string) {
	if i := strings.LastIndexByte(s, open); i > 0 && s[len(s)-1] == end && isRuleName(s[i+1:len(s)-1]) {
		return strings.TrimSpace(s[:i]), s[i+1 : len(s)-1]
	}
	return s, ""
}

// crash reads ESLint's message that it cannot run. The reason is the first line below that is not blank and does not
// name ESLint's version.
func (e *eslint) crash(s *parse.Scan, message string) {
	d := s.Add(parse.Draft{Event: store.Event{Message: message, Category: store.CategoryLint, Code: "crash"}})
	n, found := 0, false
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		n++
		switch {
		case n > 60 || found && text == "" && n > 12:
			return parse.Done
		case text == "" || strings.HasPrefix(text, "ESLint: "):
			return parse.Take
		case hasAnyPrefix(text, "npm ERR!", "npm error", "##[", "error Command failed", "The command "):
			return parse.Done
		case !found:
			d.Message, found = text, true
		}
		d.Extend(l)
		return parse.Take
	})
}

func readESLintJSON(s *parse.Scan, t *parse.Text) error {
	var doc []struct {
		FilePath string `json:"filePath"`
		Messages []struct {
			RuleID   string `json:"ruleId"`
			Severity int    `json:"severity"`
			Message  string `json:"message"`
			Line     int    `json:"line"`
			Column   int    `json:"column"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(t.Data, &doc); err != nil {
		return err
	}
	search := newSearch(t)
	for _, file := range doc {
		search.line(file.FilePath)
		for _, m := range file.Messages {
			d := parse.Draft{Event: store.Event{Tool: "eslint", File: file.FilePath, Line: m.Line, Column: m.Column,
				Message: m.Message, Code: m.RuleID, Category: store.CategoryLint, LogLine: search.line(m.Message)}}
			if m.Severity < 2 {
				d.Severity = store.SeverityWarning
			}
			s.Add(d)
		}
	}
	return nil
}

var standardLine = parse.Lines{{
	Text: "{place}: {message}{? ({code})}{? ({severity})}", Tool: "standard",
	Then: func(d *parse.Draft) {
		if d.Code == "null" { // an error of the parser
			d.Code = ""
		}
	},
}}

func standardFinding(s *parse.Scan, l parse.Line) bool {
	d, ok := standardLine.Read(l.Text)
	if ok {
		s.Add(d)
	}
	return ok
}
