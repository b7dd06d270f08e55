package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// perlFormat reads errors and warnings of Perl and its modules: "words at FILE line N.".
var perlFormat = parse.Format{
	Name:     "perl",
	About:    "Perl: die, compilation errors, missing modules, warnings; cpanm, dzil",
	Triggers: []string{" line ", "(Severity: ", " aborted due to compilation errors"},
	Starts:   []string{"! ", "Can't open perl script ", "Can't locate ", "Required plugin "},
	Lines: parse.Lines{
		{Text: "[{code}] {message} at line {line}, column {column}{_}(Severity: {_}", Tool: "perlcritic"},
		{Text: "{?{file}: }{message} at line {line}, column {column}{_}(Severity: {_}", Tool: "perlcritic"},
	},
	New: func() parse.Matcher { return new(perl).match },
}

type perl struct {
	last *parse.Draft
}

func (p *perl) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case strings.HasPrefix(text, "! "):
		return cpanm(s, text[2:])
	case strings.HasPrefix(text, "Can't open perl script "):
		s.Add(parse.Draft{Event: store.Event{Message: text, Category: store.CategoryRuntime}})
		return true
	case strings.HasPrefix(text, "Required plugin ") && strings.HasSuffix(text, " isn't installed."):
		s.Add(parse.Draft{Event: store.Event{Tool: "dzil", Message: text, Category: store.CategoryBuild}})
		return true
	case p.isCaller(text):
		p.last.Extend(l)
		return true
	case strings.HasPrefix(text, "Can't locate ") && strings.HasSuffix(text, ")."): // printed by perl -M
		message, _, module := strings.Cut(text, " (@INC ")
		if module {
			p.last = s.Add(parse.Draft{Event: store.Event{Message: message, Category: store.CategoryCompile}})
		}
		return module
	case strings.HasSuffix(text, " aborted due to compilation errors."),
		strings.HasPrefix(text, "BEGIN failed--compilation aborted"),
		strings.HasPrefix(text, "Compilation failed in require"):
		if p.last == nil || l.N > p.last.LogLineEnd+3 {
			s.Add(parse.Draft{Weight: parse.Repeat, Event: store.Event{Message: text, Category: store.CategoryCompile}})
		} else {
			p.last.Extend(l)
		}
		return true
	}
	return p.message(s, text)
}

// isCaller reports whether a line is a caller in a stack trace of Carp: "main::f(1) called at a.pl line 3".
func (p *perl) isCaller(text string) bool {
	caller, _, ok := strings.Cut(text, " called at ")
	return ok && p.last != nil && (strings.HasSuffix(caller, ")") || caller == "eval {...}" ||
		strings.HasPrefix(caller, "require ")) && strings.Contains(text, " line ")
}

// message reads "words at FILE line N." and the text that Perl adds after it: ", near "…"" or ", <STDIN> line 3.".
func (p *perl) message(s *parse.Scan, text string) bool {
	message, at, ok := perlPlace(text)
	if !ok || text[0] == '#' || strings.HasPrefix(text, "at ") {
		return false
	}
	d := parse.Draft{Weight: parse.Likely,
		Event: store.Event{File: at.File, Line: at.Line, Message: message, Category: store.CategoryRuntime}}
	switch {
	case isPerlWarning(message):
		d.Severity, d.Weight = store.SeverityWarning, parse.Certain
	case hasAnyPrefix(message, "syntax error", "Global symbol ", "Bareword ", "Can't find string terminator",
		"Missing right curly", "Unmatched right", "Can't locate "):
		d.Weight, d.Category = parse.Certain, store.CategoryCompile
		if strings.HasPrefix(message, "Can't locate ") &&
			(!strings.Contains(message, "@INC") || strings.Contains(text, "eval")) {
			d.Weight, d.Category = parse.Likely, store.CategoryRuntime
		}
	}
	if i := strings.Index(d.Message, " (@INC "); i > 0 {
		d.Message = d.Message[:i]
	}
	p.last = s.Add(d)
	return true
}

// perlPlace splits "words at FILE line N.", if FILE is a Perl file.
func perlPlace(text string) (message string, p parse.Place, ok bool) {
	for end := len(text); ; {
		i := strings.LastIndex(text[:end], " line ")
		if i < 0 {
			return "", parse.Place{}, false
		}
		line, n := parse.Number(text[i+len(" line "):])
		rest := text[i+len(" line ")+n:]
		j := strings.LastIndex(text[:i], " at ")
		if n > 0 && j > 0 && text[j+len(" at "):i] == "-e" && rest == "." {
			return text[:j], parse.Place{}, true
		}
		if n > 0 && j > 0 && (rest == "." || rest == "" || strings.HasPrefix(rest, ", ")) {
			if file := text[j+len(" at ") : i]; isPerlFile(file) {
				return text[:j], parse.Place{File: file, Line: line}, true
			}
		}
		end = i
	}
}

func isPerlFile(file string) bool {
	if strings.ContainsAny(file, " \"'`<>()") {
		return false
	}
	switch file[strings.LastIndexByte(file, '.')+1:] {
	case "pl", "pm", "t", "PL", "cgi", "psgi", "xs", "al":
		return strings.IndexByte(file, '.') > 0
	}
	return false
}

// isPerlWarning reports whether a message has the words of one of Perl's own warnings.
func isPerlWarning(message string) bool {
	if strings.HasSuffix(message, " redefined") || strings.Contains(message, " isn't numeric in ") ||
		strings.Contains(message, " masks earlier declaration ") || strings.Contains(message, " is deprecated") ||
		strings.Contains(message, " is experimental") || strings.Contains(message, "used only once: possible typo") {
		return true
	}
	return hasAnyPrefix(message, "Use of ", "Useless use of ", "Odd number of elements", "Deep recursion",
		"Wide character in ", "Possible ", "Unquoted string ", "Scalar value ", "Found = in conditional",
		"Smartmatch is ", "Statement unlikely to be reached", "Reference found where ", "Undefined value assigned",
		"Applying ", "Parentheses missing around", "Subroutine ", "Constant subroutine ", "Prototype mismatch",
		"Variable \"", "Redundant argument", "Missing argument ")
}

// cpanm reads the lines of cpanm that start with an exclamation mark.
func cpanm(s *parse.Scan, text string) bool {
	d := parse.Draft{Event: store.Event{Tool: "cpanm", Message: text, Category: store.CategoryBuild}}
	switch {
	case strings.HasPrefix(text, "Finding ") && strings.HasSuffix(text, " failed."): // the next index is asked
		d.Weight = parse.Repeat
	case hasAnyPrefix(text, "Couldn't find module ", "Finding ", "Installing the dependencies failed",
		"Configure failed for ", "Configuring ") && !strings.Contains(text, "failed on"):
	case strings.HasPrefix(text, "Installing ") && strings.Contains(text, " failed. See "),
		strings.HasPrefix(text, "Bailing out the installation"),
		strings.HasPrefix(text, "Testing ") && strings.Contains(text, " failed"):
		d.Weight = parse.Repeat
	default:
		return false
	}
	s.Add(d)
	return true
}
