package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// goFormat reads `go build`, `go vet`, `go list` and `go mod`.
var goFormat = parse.Format{
	Name:  "go",
	About: "Go: compiler, vet, modules and the linker",
	Triggers: []string{".go:", "can't load package", "cannot load ", "found packages ", "missing go.sum entry",
		"no required module provides package",
		"imports cycle not allowed", "import cycle not allowed", "go.mod:", ": build constraints exclude all Go files",
		"SECURITY ERROR", "no Go files in", " is not in std", " is not in GOROOT", ": directory not found",
		"case-insensitive import collision"},
	Starts: []string{"# ", "go: ", "package ", "vet: ", "pattern ./", "unrecognized import path "},
	New:    func() parse.Matcher { return (&goBuild{}).match },
}

// goBuild keeps the newest error, because the next lines may belong to it. The compiler prints a header with the
// package, and then the errors of the package.
type goBuild struct {
	last *parse.Draft
	path bool // the newest header names a package, and is not a comment
}

func (g *goBuild) match(s *parse.Scan, l parse.Line) bool {
	text := l.Text
	switch {
	case strings.HasPrefix(text, "# "):
		return g.header(s, text[2:])
	case strings.HasPrefix(text, "go: ") && strings.HasSuffix(text, " imports"):
		return g.unresolved(s, l, text[4:])
	case strings.HasPrefix(text, "go: "):
		return g.command(s, l, text[4:])
	case strings.HasPrefix(text, "package "):
		return g.imports(s, l, text[8:])
	case strings.HasPrefix(text, "can't load package: "),
		strings.HasPrefix(text, "cannot load ") && !strings.HasPrefix(text, "cannot load such file"),
		strings.HasPrefix(text, "found packages "), strings.HasPrefix(text, "pattern ./"):
		g.add(s, l, parse.Place{}, strings.TrimPrefix(strings.TrimPrefix(text, "can't load package: "), "package "),
			store.CategoryBuild, parse.Certain)
		return true
	case strings.HasPrefix(text, "unrecognized import path \""): // go get without modules
		g.add(s, l, parse.Place{}, text, store.CategoryBuild, parse.Certain)
		return true
	case strings.HasPrefix(text, "no required module provides package "), strings.HasPrefix(text, "no Go files in "),
		strings.HasPrefix(text, "stat ") && strings.HasSuffix(text, ": directory not found"):
		g.more(s, g.add(s, l, parse.Place{}, strings.TrimPrefix(text, "stat "), store.CategoryBuild, parse.Certain), false)
		return true
	}
	return g.placed(s, l)
}

// header reads "# import/path" and "# import/path [import/path.test]", and opens a block for the errors that follow.
func (g *goBuild) header(s *parse.Scan, name string) bool {
	if !isImportPath(name) {
		return false
	}
	g.path = strings.Contains(name, "/") || name == "command-line-arguments"
	s.Block(func(l parse.Line) parse.Verdict {
		switch {
		case strings.HasPrefix(l.Text, "\t") && g.last != nil && g.last.LogLineEnd == l.N-1:
			g.last.Extend(l)
			if g.last.LogLine == l.N-1 {
				g.last.Message += "\n" + l.Trim()
			}
			return parse.Take
		case strings.Contains(l.Text, ".go:") || strings.HasPrefix(l.Text, "vet: "):
			if g.compiler(s, l) {
				return parse.Take
			}
			return parse.Pass
		case strings.HasPrefix(l.Text, "too many errors"):
			return parse.Take
		case g.linker(s, l):
			return parse.Take
		case strings.HasPrefix(l.Text, "note: module requires Go "): // comes after the errors of a Go that is too old
			return parse.Take
		}
		return parse.Done
	})
	return false // "# name" is also a comment of TAP
}

// isImportPath reports whether a text may be the import path of a package. The path may be in brackets, as vet prints
// it. The name of a test binary may follow in brackets.
func isImportPath(s string) bool {
	path, rest, more := strings.Cut(s, " ")
	if more && (!strings.HasPrefix(rest, "[") || !strings.HasSuffix(rest, "]") || strings.Contains(rest, " ")) {
		return false
	}
	if strings.HasPrefix(path, "[") && strings.HasSuffix(path, "]") {
		path = path[1 : len(path)-1]
	}
	if path == "" {
		return false
	}
	for i := range len(path) {
		if c := path[i]; !parse.IsDigit(c) && !parse.IsLower(c|0x20) && strings.IndexByte("./-_~+@=", c) < 0 {
			return false
		}
	}
	return true
}

// compiler reads a line of the compiler, of vet or of cgo. The line is below a header.
func (g *goBuild) compiler(s *parse.Scan, l parse.Line) bool {
	text := strings.TrimPrefix(l.Text, "vet: ")
	p, rest, ok := parse.PlaceAt(text)
	if !ok || !strings.HasSuffix(p.File, ".go") || rest == "" {
		return false
	}
	if p.Column == 0 && (!g.path || text[0] == ' ' || text[0] == '\t') { // Go before 1.10 printed no columns
		return false
	}
	if severity, message, ok := parse.SeverityAt(rest); ok { // cgo repeats what gcc printed
		if severity != store.SeverityError {
			return false
		}
		rest = message
	}
	if rest == "too many errors" || strings.HasPrefix(rest, "note: ") {
		return true
	}
	category := store.CategoryCompile
	if isVet(rest) {
		category = store.CategoryLint
	}
	g.last = g.add(s, l, p, rest, category, parse.Certain)
	return true
}

// isVet reports whether a message is a finding of vet. Findings of vet and errors of the compiler are below the same
// header, but have different words.
func isVet(message string) bool {
	for _, w := range [...]string{"fmt.", "call to ", "possible misuse of ", "result of ", "unreachable code",
		"self-assignment of ",
		"struct field tag ", "loop variable ", "the cancel function ", "assignment copies lock value"} {
		if strings.HasPrefix(message, w) {
			return true
		}
	}
	return strings.Contains(message, " format %") || strings.Contains(message, " passes lock by value: ") ||
		strings.Contains(message, " refers to unknown ")
}

// linker reads the messages of cmd/link below a header.
func (g *goBuild) linker(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case strings.Contains(text, ": relocation target ") && strings.HasSuffix(text, " not defined"),
		strings.Contains(text, "function main is undeclared in the main package"), strings.HasPrefix(text, "link: "):
		g.last = g.add(s, l, parse.Place{}, text, store.CategoryLink, parse.Certain)
	case strings.Contains(text, "/link: running ") && strings.Contains(text, " failed: exit status"):
		g.last = g.add(s, l, parse.Place{}, text[strings.Index(text, "running "):], store.CategoryLink, parse.Repeat)
	default:
		return false
	}
	return true
}

// goProgress are beginnings of the go command's progress messages.
var goProgress = []string{"downloading ", "finding ", "extracting ", "upgraded ", "downgraded ", "added ", "removed ",
	"creating ", "to ", "found ", "updating ", "copying ",
	"linked ", "writing ", "toolchain ", "no module dependencies", "reusing ", "converting ", "using ", "disabling ",
	"switching ", "trying ", "accepting ", "importing ", "get \""}

// command reads a line of the go command: "go: …".
func (g *goBuild) command(s *parse.Scan, l parse.Line, text string) bool {
	for _, w := range goProgress {
		if strings.HasPrefix(text, w) {
			return true
		}
	}
	if message, ok := strings.CutPrefix(text, "warning: "); ok {
		s.Add(parse.Draft{Event: store.Event{Severity: store.SeverityWarning, Message: message,
			Category: store.CategoryBuild}})
		return true
	}
	weight := parse.Likely
	for _, w := range [...]string{"go.mod file not found", "cannot find main module", "errors parsing ",
		"updates to go.mod needed", "missing go.sum entry", "unknown revision", "inconsistent vendoring",
		"checksum mismatch", "no such file or directory", "no required module provides", "cannot find module",
		"invalid version", "module lookup disabled", "exit status", "no matching versions", "go.mod requires go"} {
		if strings.Contains(text, w) {
			weight = parse.Certain
		}
	}
	p, rest, ok := parse.PlaceAt(text)
	if !ok {
		rest = text
	}
	g.last = g.add(s, l, p, rest, store.CategoryBuild, weight)
	g.more(s, g.last, strings.HasSuffix(text, ":"))
	return true
}

// more opens a block for the indented lines that explain a message. If introduces is true, the message only announces
// these lines. Then the first line is added to the message, or replaces the message if the line begins with a place. A
// first line with a place in go.mod need not be indented.
func (g *goBuild) more(s *parse.Scan, d *parse.Draft, introduces bool) {
	s.Block(func(l parse.Line) parse.Verdict {
		rest, indented := strings.CutPrefix(l.Text, "\t")
		p, message, placed := parse.PlaceAt(rest)
		if !indented {
			p, message, placed = parse.PlaceAt(l.Text)
			if !introduces || !placed || !strings.HasSuffix(p.File, "go.mod") {
				return parse.Done
			}
			rest = l.Text
		}
		d.Extend(l)
		if introduces {
			introduces = false
			d.Message += " " + strings.TrimSpace(rest)
			if placed {
				d.At(p.File, p.Line, p.Column)
				d.Message = message
			}
		}
		return parse.Take
	})
}

// unresolved reads the chain of imports that leads to a package that "go mod tidy" cannot find.
func (g *goBuild) unresolved(s *parse.Scan, l parse.Line, chain string) bool {
	d := g.add(s, l, parse.Place{}, chain, store.CategoryBuild, parse.Certain)
	s.Block(parse.Below{Starts: []string{""}, Indent: 1, Join: " ", Lines: 20}.Block(d))
	return true
}

// goPackage lists words of the go command's errors about packages. These errors do not name the place (file and line)
// of an import.
var goPackage = []string{"cannot find", "is not in ", "no Go files", "build constraints", "no required module",
	"not allowed", "-insensitive import collision",
	"-insensitive file name collision", " expects import ", "must be imported as ", "malformed import path",
	"invalid import path", "unrecognized import path", "is a program, not an importable package", "directory not found"}

// imports reads "package a" and the chain of imports that leads to an error. "package a (test)" is the package of
// tests.
func (g *goBuild) imports(s *parse.Scan, l parse.Line, name string) bool {
	path, message, said := strings.Cut(name, ": ")
	if bare, why, ok := strings.Cut(name, " is not in "); ok && !said {
		path, message, said = bare, "is not in "+why, true
	}
	if !isImportPath(strings.TrimSuffix(path, " (test)")) {
		return false
	}
	if said {
		if !containsAny(message, goPackage) {
			return false
		}
		g.add(s, l, parse.Place{}, name, store.CategoryBuild, parse.Certain)
		return true
	}
	s.Block(func(next parse.Line) parse.Verdict {
		rest, ok := strings.CutPrefix(next.Trim(), "imports ")
		if !ok || next.Indent() == 0 || next.N > l.N+100 {
			return parse.Done
		}
		if imported, why, ok := strings.Cut(rest, ": "); ok {
			d := g.add(s, l, parse.Place{}, why, store.CategoryBuild, parse.Certain)
			d.Message = why + ": package " + path + " imports … " + imported
			d.Extend(next)
			return parse.Last
		}
		return parse.Take
	})
	return false
}

// goLoad lists words of the go command's errors about an import. The go command prints these errors with the place of
// the import, and without a header.
var goLoad = []string{"no required module provides package", "cannot find package", "cannot find module",
	"is not in std", "is not in GOROOT", "missing go.sum entry", "import cycle not allowed",
	"no matching files found", "build constraints exclude all Go files", "use of internal package", "unknown directive",
	"no Go files in", "imported and not used", "is a program, not an importable package", "-insensitive import collision"}

// goSyntax are beginnings of errors of Go's parser and type checker. gofmt and other tools print them unchanged.
var goSyntax = []string{"expected ", "illegal character", "string literal not terminated", "comment not terminated",
	"missing ',' ", "syntax error: ", "undefined: ", "non-declaration statement"}

// placed reads a message of the go command, vet or gofmt with a place (file:line:column: message) and without a header.
func (g *goBuild) placed(s *parse.Scan, l parse.Line) bool {
	text := strings.TrimPrefix(l.Text, "vet: ")
	p, message, ok := parse.PlaceAt(text)
	if !ok || message == "" || !strings.HasSuffix(strings.TrimRight(text[:len(text)-len(message)], " "), ":") {
		return false // go prints a colon after the place; golangci-lint can print a table
	}
	if strings.HasSuffix(p.File, "go.mod") || strings.HasSuffix(p.File, "go.work") {
		g.add(s, l, p, message, store.CategoryBuild, parse.Certain)
		return true
	}
	if !strings.HasSuffix(p.File, ".go") {
		return false
	}
	if namesLinter(message) {
		return false
	}
	for _, w := range goLoad {
		if strings.Contains(message, w) {
			d := g.add(s, l, p, message, store.CategoryBuild, parse.Certain)
			g.more(s, d, strings.HasSuffix(message, " in any of:"))
			return true
		}
	}
	if strings.HasPrefix(message, "running \"") && strings.Contains(message, "\": ") { // printed by go generate
		g.add(s, l, p, message, store.CategoryBuild, parse.Repeat)
		return true
	}
	if p.Column == 0 {
		return false
	}
	if isVet(message) {
		g.add(s, l, p, message, store.CategoryLint, parse.Certain)
		return true
	}
	for _, w := range goSyntax {
		if strings.HasPrefix(message, w) {
			g.add(s, l, p, message, store.CategoryCompile, parse.Certain)
			return true
		}
	}
	if text != l.Text { // only after "vet: "
		g.add(s, l, p, message, store.CategoryLint, parse.Certain)
		return true
	}
	return false
}

func (g *goBuild) add(s *parse.Scan, l parse.Line, p parse.Place, message string, c store.Category,
	w parse.Weight) *parse.Draft {
	return s.Add(parse.Draft{Weight: w,
		Event: store.Event{File: p.File, Line: p.Line, Column: p.Column, Message: message, Category: c, LogLine: l.N}})
}
