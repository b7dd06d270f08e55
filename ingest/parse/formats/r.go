package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// rFormat reads R: errors of scripts, R CMD check and R CMD INSTALL.
var rFormat = parse.Format{
	Name:     "r",
	About:    "R: errors of scripts, R CMD check, R CMD INSTALL, install.packages",
	Triggers: []string{"Error in ", "Execution halted", "is not available for package", "Running the tests in "},
	Starts: []string{
		"Error: ", "Error : ", "  Error: ", "* checking ", " ERROR", "ERROR: ", "Fatal error: cannot open file '",
		"Error while ",
	},
	New: func() parse.Matcher { return new(r).match },
}

type r struct {
	check  string // the current check of R CMD check
	last   string // the newest "Error: …"; it is R's only if "Execution halted" follows
	lastN  int
	newest *parse.Draft
}

func (r *r) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case strings.HasPrefix(text, "* checking "):
		return r.checking(s, text[len("* checking "):])
	case text == "ERROR" && l.Indent() == 1 && r.check != "":
		r.checkFailed(s, store.SeverityError)
		return true
	case strings.HasPrefix(text, "ERROR: "):
		return rInstall(s, text[len("ERROR: "):])
	case strings.HasPrefix(text, "Fatal error: cannot open file '"):
		s.Add(parse.Draft{Event: store.Event{Message: text, Category: store.CategoryRuntime}})
		return true
	case strings.HasPrefix(text, "Error in "):
		return r.errorIn(s, text)
	case strings.HasPrefix(text, "Error: "), strings.HasPrefix(text, "Error : "):
		r.last, r.lastN = text[strings.Index(text, ": ")+2:], l.N
		return false
	case text == "Execution halted":
		r.halted(s, l)
		return true
	}
	return false
}

// rSyntax reads the place in the message for a file that R cannot parse: "/shop/R/a.R:1:20: unexpected '{'".
func rSyntax(d *parse.Draft) {
	if p, message, ok := parse.PlaceAt(d.Message); ok && hasAnySuffix(p.File, ".R", ".r") {
		d.File, d.Line, d.Column, d.Message, d.Category = p.File, p.Line, p.Column, message, store.CategoryCompile
	}
}

// errorIn reads "Error in f(1) : bad x: 1". After a long call, the message is on the next line.
func (r *r) errorIn(s *parse.Scan, text string) bool {
	call, message, ok := strings.Cut(text[len("Error in "):], " : ")
	if !ok {
		if call, ok = strings.CutSuffix(text[len("Error in "):], " :"); !ok {
			call, message, ok = strings.Cut(text[len("Error in "):], ": ")
			if !ok || !strings.HasSuffix(call, ")") && !strings.HasSuffix(call, "`") {
				return false
			}
		}
	}
	d := s.Add(parse.Draft{Weight: parse.Likely,
		Event: store.Event{Message: strings.TrimSpace(message), Category: store.CategoryRuntime}})
	r.newest = d
	if d.Message != "" {
		rSyntax(d)
		return true
	}
	d.Message = "error in " + call
	s.Block(func(l parse.Line) parse.Verdict {
		if text := l.Trim(); text != "" && l.Indent() > 0 {
			d.Message = text
			rSyntax(d)
			d.Extend(l)
		} else {
			return parse.Done
		}
		return parse.Last
	})
	return true
}

// halted adds the error that ended the script.
func (r *r) halted(s *parse.Scan, l parse.Line) {
	switch {
	case r.newest != nil && r.newest.LogLineEnd >= r.lastN && l.N <= r.newest.LogLineEnd+30:
		r.newest.Weight = parse.Certain
		if strings.Contains(r.newest.Message, "installation of package ") { // the package's own error is above
			r.newest.Weight = parse.Repeat
		}
		r.newest.Extend(l)
	case r.last != "" && l.N <= r.lastN+30:
		d := parse.Draft{Event: store.Event{Message: r.last, Category: store.CategoryRuntime, LogLine: r.lastN}}
		if r.last == "Test failures" || strings.HasPrefix(r.last, "Failures detected") {
			d.Weight = parse.Repeat
		}
		s.Add(d).Extend(l)
	default:
		s.Add(parse.Draft{Weight: parse.Repeat,
			Event: store.Event{Message: "Execution halted", Category: store.CategoryRuntime}})
	}
	r.newest, r.last = nil, ""
}

// checking reads the state of a check: "tests ...", "examples ... ERROR" or "Rd files ... WARNING".
func (r *r) checking(s *parse.Scan, text string) bool {
	name, result, ok := strings.Cut(text, " ...")
	if !ok {
		return false
	}
	r.check = name
	switch strings.TrimSpace(result) {
	case "ERROR", "FAILED":
		r.checkFailed(s, store.SeverityError)
	case "WARNING":
		r.checkFailed(s, store.SeverityWarning)
	}
	return true
}

// checkFailed adds the failure of a check. The lines up to the next check explain the failure. If the severity is error
// and these lines contain an R error, the failed check only repeats that error.
func (r *r) checkFailed(s *parse.Scan, severity store.Severity) {
	d := s.Add(parse.Draft{Event: store.Event{Severity: severity, Message: "checking " + r.check, Code: r.check,
		Category: store.CategoryBuild}})
	r.check = ""
	said := ""
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		switch {
		case strings.HasPrefix(l.Text, "* ") || strings.HasPrefix(text, "Status: "):
			return parse.Done
		case severity == store.SeverityError && saysRError(text):
			d.Weight = parse.Repeat
			return parse.Done
		case text == "" || strings.HasPrefix(text, "Running ‘"):
		case said == "":
			said = text
			d.Message += ": " + text
			d.LogLine = l.N
			d.Extend(l)
		case strings.HasSuffix(said, ":"):
			said = text
			d.Message += " " + text
			d.Extend(l)
		}
		return parse.Pass
	})
}

// saysRError reports whether a line of a check's output is an error of its own.
func saysRError(text string) bool {
	_, ok := testthatHeader(text)
	return ok || hasAnyPrefix(text, "Error in ", "Error: ", "Error : ")
}

// rInstall reads "ERROR: dependency ‘x’ is not available for package ‘pkg’".
func rInstall(s *parse.Scan, text string) bool {
	d := parse.Draft{Event: store.Event{Message: text, Category: store.CategoryBuild}}
	switch {
	case !strings.Contains(text, "‘") && !strings.Contains(text, " package '"):
		return false
	case hasAnyPrefix(text, "dependency ", "dependencies ", "cannot install to srcdir", "a 'NAMESPACE' file is required",
		"this R is version "):
	case hasAnyPrefix(text, "compilation failed for package", "lazy loading failed", "loading failed", "installing ",
		"configuration failed for package", "unable to collate and parse"):
		d.Weight = parse.Repeat
	default:
		return false
	}
	s.Add(d)
	return true
}
