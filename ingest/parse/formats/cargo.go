package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// cargoFormat reads the messages of cargo itself.
var cargoFormat = parse.Format{
	Name:   "cargo",
	About:  "cargo: manifests, dependencies, build scripts",
	Starts: []string{"error: ", "Package `"},
	Lines: parse.Lines{
		{Text: "^«Package `{_}` does not have these features: {*}»", Category: store.CategoryBuild}, // before 1.6
	},
	Match: matchCargo,
}

// cargoErrors are beginnings of cargo's errors. Other tools print such errors, too. An error certainly belongs to cargo
// if a chain of causes follows.
var cargoErrors = []string{"failed to parse ", "failed to load ", "failed to select a version ", "failed to get `",
	"failed to read `", "failed to download ", "failed to fetch ", "failed to resolve ",
	"failed to compile `", "failed to verify ", "failed to prepare ", "failed to determine ", "failed to query ",
	"failed to sync", "failed to publish ", "failed to write `", "failed to open", "failed to create ",
	"failed to authenticate", "failed to find ", "failed to update ", "failed to start ", "failed to execute ",
	"failed to collect ", "failed to canonicalize ", "could not find `Cargo.toml`", "no matching package",
	"package `", "Package `",
	"package ID specification ", "the lock file ", "no such command: ", "no such subcommand: ", "manifest path `",
	"cannot update the lock file", "cannot create the lock file", "toolchain '", "no bin target named",
	"no test target named", "no example target named", "no bench target named", "the package '",
	"none of the selected packages contains",
	"virtual manifest", "checksum for `", "a bin target must be available", "could not execute process", "the option `",
	"rustc ", "cyclic package dependency", "multiple packages", "no default toolchain configured", "invalid character `"}

// cargoRepeats are beginnings of errors that only repeat another failure.
var cargoRepeats = []string{"failed to run custom build command for ", "test failed, to rerun pass ",
	"doctest failed, to rerun pass ", "process didn't exit successfully: ", "test run failed", "bench failed", "Recipe `"}

func matchCargo(s *parse.Scan, l parse.Line) bool {
	message, ok := strings.CutPrefix(l.Text, "error: ")
	if !ok || strings.Contains(message, "[Errno ") { // a program in Python
		return false
	}
	d := parse.Draft{Event: store.Event{Message: message, Category: store.CategoryBuild, LogLine: l.N}}
	if strings.HasSuffix(message, " target failed:") || strings.HasSuffix(message, " targets failed:") {
		d.Weight = parse.Repeat
		s.Add(d)
		return true
	}
	for _, w := range cargoRepeats {
		if strings.HasPrefix(message, w) {
			d.Weight = parse.Repeat
			before := s.Newest()
			causes(s, s.Add(d), before)
			return true
		}
	}
	for _, w := range cargoErrors {
		if strings.HasPrefix(message, w) {
			d.Weight = parse.Likely // other tools print such lines, too
			causes(s, s.Add(d), nil)
			return true
		}
	}
	return false
}

// causes opens a block for "Caused by:" and the indented lines below. It adds each cause to the message of d. The
// parameter before is the newest event above, which may say why a program died.
func causes(s *parse.Scan, d, before *parse.Draft) {
	inside, lines := false, 0
	s.Block(func(l parse.Line) parse.Verdict {
		lines++
		text := l.Trim()
		switch {
		case text == "--- stdout" || text == "--- stderr": // output of a build script, which all formats read
			return parse.Done
		case text == "Caused by:":
			inside = true
			if d.Weight == parse.Likely {
				d.Weight = parse.Certain
			}
		case lines > 60 || strings.HasPrefix(text, "error: "):
			return parse.Done
		case text == "":
			return parse.Pass
		case inside && isCargoStatus(l):
			return parse.Done
		case inside && l.Indent() > 0:
			if d.Weight == parse.Repeat && diedUnexpectedly(text) && !explains(before, d) {
				d.Weight = parse.Certain
			}
			if len(d.Message) < 1000 && !strings.Contains(text, "|") {
				d.Message += ": " + text
			}
		case strings.HasPrefix(text, "required by package "):
			d.Message += ", " + text
			d.Weight = parse.Certain
		case strings.HasPrefix(text, "package `") && strings.Contains(text, "` depends on `"),
			strings.Contains(text, " requires rustc ") && !strings.Contains(d.Message, text):
			d.Message += "\n" + text
			d.Weight = parse.Certain
		case !explainsCargo(text):
			return parse.Done
		}
		if text != "" {
			d.Extend(l)
		}
		if p, _, ok := parse.PlaceAt(strings.TrimPrefix(text, "--> ")); ok && strings.HasSuffix(p.File, "Cargo.toml") {
			d.At(p.File, p.Line, p.Column)
		}
		return parse.Take
	})
}

// isCargoStatus reports whether the line is a status such as "     Running tests/a.rs", whose first word ends at
// column 12. Causes are indented by 2.
func isCargoStatus(l parse.Line) bool {
	word, _, _ := strings.Cut(l.Trim(), " ")
	return l.Indent() > 2 && l.Indent()+len(word) == 12
}

// diedUnexpectedly reports whether a cause says that a test program was killed by a signal or exited with a code other
// than 101. A test program exits with 101 when tests fail.
func diedUnexpectedly(text string) bool {
	if !strings.HasPrefix(text, "process didn't exit successfully: ") || !strings.HasSuffix(text, ")") {
		return false
	}
	how := text[strings.LastIndexByte(text, '(')+1:]
	return strings.HasPrefix(how, "signal: ") ||
		strings.HasPrefix(how, "exit status: ") && how != "exit status: 101)"
}

// explains reports whether the error right before d says why the program died.
func explains(before, d *parse.Draft) bool {
	return before != nil && before.Severity == store.SeverityError && before.Weight != parse.Repeat &&
		d.LogLine-before.LogLineEnd <= maxDyingWords
}

// maxDyingWords is the max number of lines between a program's last error, which says why it died, and cargo's error
// that it died.
const maxDyingWords = 3

// explainsCargo reports whether a line continues an error of cargo.
func explainsCargo(text string) bool {
	for _, w := range [...]string{"location searched: ", "perhaps you meant", "searched package", "candidate versions",
		"Did you mean", "help: ", "note: ", "... ", "versions that meet", "all possible versions",
		"failed to select a version", "previously selected package", "if you are looking for", "the package `", "referenced by workspace at ",
		"-->", "|"} {
		if strings.HasPrefix(text, w) {
			return true
		}
	}
	return false
}
