package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// golangciFormat reads Go linters that print file:line:column: message (name).
var golangciFormat = parse.Format{
	Name:     "golangci-lint",
	About:    "golangci-lint, staticcheck, revive and others that print like them",
	Triggers: []string{".go:"},
	Starts: []string{"diff ", "  (", "-: # ", "The command is terminated due to an error: ",
		"Failed executing command with error: "},
	Lines: parse.Lines{
		{Text: "^{:The command is terminated due to an error|Failed executing command with error}: {message}",
			Category: store.CategoryBuild},
		// the tab output of golangci-lint
		{Text: "^{file:.go}:{line}:{column}  { }{code}  { }{message}", If: isGoLint},
		{Text: "[{file:.go}:{line}{?-{#}}] - {code:G###} ({_}): {message} (Confidence: {_}, Severity: {_})",
			Tool: "gosec", Below: parse.Below{Indent: 2}.Pattern},
		// gometalinter prints this form.
		{Text: "{file:.go}:{line}:{?{column}}:{severity:error|warning}: {message} ({code})"},
		{Text: "^{place:.go}: {message} ({code})", If: isGoLint, Below: parse.Caret{Pass: true}.Pattern},
		// golint, errcheck, ineffassign and vet tools do not print the name of the linter.
		{Text: "{place+column:.go}: {message}", Tool: "go", Weight: parse.Likely, If: hasNoGrade},
	},
	New: func() parse.Matcher { return new(goLint).match },
}

// goLint keeps the newest finding in a stylish report of revive or staticcheck.
type goLint struct {
	last *parse.Draft
}

func (m *goLint) match(s *parse.Scan, l parse.Line) bool {
	switch {
	case strings.HasPrefix(l.Text, "  ("):
		return m.stylish(s, l)
	case strings.HasPrefix(l.Text, "-: # "), strings.Contains(l.Text, ".go:1: : # "):
		s.Block(compileErrors(s))
		return true
	}
	return matchGofmt(s, l)
}

// stylishLine is a finding of a stylish report, below the name of the file.
var stylishLine = parse.Lines{
	{Text: "({line}, {column})  { }https://revive.run/r#{code}  { }{message}", Tool: "revive",
		Weight: parse.Likely}, // by default revive passes with findings
	{Text: "({line}, {column})  { }{code}  { }{message}", Tool: "staticcheck",
		If: func(d *parse.Draft) bool { return isCheckID(d.Code) || d.Code == "compile" }},
}

func (m *goLint) stylish(s *parse.Scan, l parse.Line) bool {
	d, ok := stylishLine.Read(l.Text)
	if !ok {
		return false
	}
	if m.last != nil && m.last.LogLine == l.N-1 {
		d.File = m.last.File
	} else if said := s.Said(1); len(said) > 0 && said[0].N == l.N-1 && strings.HasSuffix(said[0].Text, ".go") {
		d.File = said[0].Text
	}
	if d.File != "" {
		d.LogLine, d.LogLineEnd = l.N, l.N
		m.last = s.Add(d)
	}
	return d.File != ""
}

// compileErrors reads the errors of the compiler, which golangci-lint and staticcheck print as one finding below the
// name of the package. The last line names the linter.
func compileErrors(s *parse.Scan) func(parse.Line) parse.Verdict {
	var errors []*parse.Draft
	return func(l parse.Line) parse.Verdict {
		p, message, ok := parse.PlaceAt(l.Text)
		if !ok || l.Level != "" {
			return parse.Done
		}
		message, last := strings.CutSuffix(message, " (typecheck)")
		message, staticcheck := strings.CutSuffix(message, " (compile)")
		errors = append(errors, s.Add(parse.Draft{Event: store.Event{File: p.File, Line: p.Line, Column: p.Column,
			Message: message, Code: "typecheck", Category: store.CategoryCompile}}))
		if staticcheck {
			for _, d := range errors {
				d.Tool, d.Code = "staticcheck", "compile"
			}
		}
		if last || staticcheck || len(errors) >= maxCompileErrors {
			return parse.Last
		}
		return parse.Take
	}
}

// maxCompileErrors is the max number of errors of a package. The compiler stops after ten.
const maxCompileErrors = 100

// namesLinter reports whether a message ends with the name of a linter in brackets.
func namesLinter(message string) bool {
	i := strings.LastIndex(message, " (")
	return i > 0 && strings.HasSuffix(message, ")") && isLinterName(message[i+2:len(message)-1])
}

// isLinterName reports whether s may be the name of a linter of golangci-lint (errcheck) or of a check of staticcheck
// (SA4006, U1000, compile).
func isLinterName(s string) bool {
	return s != "" && (isCheckID(s) ||
		parse.IsLower(s[0]) && !strings.ContainsFunc(s,
			func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' }))
}

// isCheckID reports whether s consists of one or two capital letters and then digits: SA4006, G104, S1000.
func isCheckID(s string) bool {
	i := 0
	for i < len(s) && 'A' <= s[i] && s[i] <= 'Z' {
		i++
	}
	return i > 0 && i < 3 && i < len(s) && parse.AllDigits(s[i:])
}

// matchGofmt reads the header of a diff of gofmt -d or goimports -d: diff [-u] a.go.orig a.go
func matchGofmt(s *parse.Scan, l parse.Line) bool {
	if !strings.HasPrefix(l.Text, "diff ") {
		return false
	}
	f := strings.Fields(l.Text)
	n := len(f)
	if n < 3 || n > 4 || !strings.HasSuffix(f[n-1], ".go") ||
		f[n-2] != f[n-1]+".orig" && !strings.HasPrefix(f[n-2], "a/") {
		return false
	}
	if strings.HasPrefix(f[n-2], "a/") && n != 3 { // printed by git diff
		return false
	}
	s.Add(parse.Draft{Weight: parse.Likely,
		Event: store.Event{File: f[n-1], Message: "file is not formatted", Tool: "gofmt", Category: store.CategoryLint}})
	return true
}

// hasNoGrade reports whether the message of a finding begins without a severity. Lines with a severity belong to other
// formats.
func hasNoGrade(d *parse.Draft) bool {
	_, _, graded := parse.SeverityAt(d.Message)
	return !graded
}

// isGoLint reports whether the code of a finding is the name of a linter or of a check. It sets the tool of
// staticcheck's checks, and the category of compile errors. If the message begins with the ID of a check, the ID
// becomes the code.
func isGoLint(d *parse.Draft) bool {
	name := d.Code
	if !isLinterName(name) {
		return false
	}
	switch {
	case name == "compile":
		d.Tool, d.Category = "staticcheck", store.CategoryCompile
	case isCheckID(name):
		d.Tool = "staticcheck"
	case name == "typecheck":
		d.Category = store.CategoryCompile
	default:
		if id, rest, ok := strings.Cut(d.Message, ": "); ok && isCheckID(id) { // staticcheck: SA4006: …
			d.Code, d.Message = id, rest
		}
	}
	return true
}
