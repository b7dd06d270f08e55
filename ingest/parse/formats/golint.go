package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// golangciFormat reads linters of Go that print file:line:column: message (name).
var golangciFormat = parse.Format{
	Name:     "golangci-lint",
	About:    "golangci-lint, staticcheck, revive and others that print like them",
	Triggers: []string{".go:"},
	Starts:   []string{"diff "},
	New:      parse.Stateless(matchGoLint),
}

func matchGoLint(s *parse.Scan, l parse.Line) bool {
	if strings.HasPrefix(l.Text, "diff ") {
		return matchGofmt(s, l)
	}
	p, message, ok := parse.PlaceAt(l.Text)
	if !ok || !strings.HasSuffix(p.File, ".go") {
		return false
	}
	if namesLinter(message) {
		i := strings.LastIndex(message, " (")
		addGoLint(s, p, message[:i], message[i+2:len(message)-1])
		return true
	}
	if p.Column == 0 || message == "" {
		return false
	}
	if _, _, ok := parse.SeverityAt(message); ok {
		return false
	}
	// golint, errcheck, ineffassign, a vet tool: file, line and column, no name
	s.Add(parse.Draft{Weight: parse.Likely, Event: store.Event{File: p.File, Line: p.Line, Column: p.Column, Message: message, Tool: "go", Category: store.CategoryLint}})
	return true
}

// namesLinter reports whether a message ends in a linter's name, in brackets.
func namesLinter(message string) bool {
	i := strings.LastIndex(message, " (")
	return i > 0 && strings.HasSuffix(message, ")") && isLinterName(message[i+2:len(message)-1])
}

// isLinterName reports whether s is a linter of golangci-lint (errcheck) or a
// check of staticcheck (SA4006, U1000, compile).
func isLinterName(s string) bool {
	return s != "" && (isCheckID(s) || parse.IsLower(s[0]) && !strings.ContainsFunc(s, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' }))
}

// isCheckID reports whether s is letters and then digits: SA4006, G104, S1000.
func isCheckID(s string) bool {
	i := 0
	for i < len(s) && 'A' <= s[i] && s[i] <= 'Z' {
		i++
	}
	return i > 0 && i < 3 && i < len(s) && parse.AllDigits(s[i:])
}

func addGoLint(s *parse.Scan, p parse.Place, message, name string) {
	e := store.Event{File: p.File, Line: p.Line, Column: p.Column, Message: message, Code: name, Category: store.CategoryLint}
	switch {
	case name == "compile":
		e.Tool, e.Category = "staticcheck", store.CategoryCompile
	case isCheckID(name):
		e.Tool = "staticcheck"
	case name == "typecheck":
		e.Category = store.CategoryCompile
	default:
		id, rest, ok := strings.Cut(message, ": ") // SA4006: … (staticcheck)
		if ok && isCheckID(id) {
			e.Code, e.Message = id, rest
		}
	}
	d := s.Add(parse.Draft{Event: e})
	shown := 0
	s.Block(func(l parse.Line) parse.Verdict { // the source line and a caret
		shown++
		if shown > 2 || strings.Contains(l.Text, ".go:") || strings.TrimSpace(l.Text) == "" {
			return parse.Done
		}
		if shown == 2 {
			if strings.TrimSpace(l.Text) != "^" {
				return parse.Done
			}
			d.Extend(l)
			return parse.Last
		}
		return parse.Pass
	})
}

// matchGofmt reads the header of a difference as gofmt -d and goimports -d
// print it: diff [-u] a.go.orig a.go
func matchGofmt(s *parse.Scan, l parse.Line) bool {
	f := strings.Fields(l.Text)
	n := len(f)
	if n < 3 || n > 4 || !strings.HasSuffix(f[n-1], ".go") || f[n-2] != f[n-1]+".orig" && !strings.HasPrefix(f[n-2], "a/") {
		return false
	}
	if strings.HasPrefix(f[n-2], "a/") && n != 3 { // diff --git is git's
		return false
	}
	s.Add(parse.Draft{Weight: parse.Likely, Event: store.Event{File: f[n-1], Message: "file is not formatted", Tool: "gofmt", Category: store.CategoryLint}})
	return true
}
