package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// pipFormat reads pip: requirements that cannot be met, and packages that cannot be built. Other formats read the
// output of a package's build.
var pipFormat = parse.Format{
	Name:  "pip",
	About: "pip: requirements that cannot be met, packages that cannot be built",
	Triggers: []string{
		"error: subprocess-exited-with-error", "Failed building wheel for ", "Failed to build ",
		"that satisfies the requirement ", "No matching distribution found for ",
	},
	Starts: []string{"ERROR: ", "error: externally-managed-environment", "error: metadata-generation-failed",
		"error: legacy-install-failure", "error: invalid-installed-package",
		"error: uninstall-", "error: no-record-file", `Command "`, "Could not install packages due to "},
	Match: matchPip,
}

// pipErrors are beginnings of pip's errors. Some of them only repeat a failure above.
var pipErrors = []struct {
	start  string
	weight parse.Weight
}{
	{"Could not find a version that satisfies the requirement ", parse.Certain},
	{"No matching distribution found for ", parse.Certain},
	{"Cannot install ", parse.Certain}, {"ResolutionImpossible: ", parse.Repeat},
	{"Could not install packages due to ", parse.Certain}, {"Invalid requirement: ", parse.Certain},
	{"Could not open requirements file: ", parse.Certain},
	{"Package '", parse.Certain}, {"Package u'", parse.Certain},
	{"THESE PACKAGES DO NOT MATCH THE HASHES", parse.Certain},
	{"Hashes are required in --require-hashes mode", parse.Certain},
	{"In --require-hashes mode", parse.Certain}, {"HTTP error ", parse.Certain},
	{"Double requirement given: ", parse.Certain}, {"Cannot uninstall ", parse.Certain},
	{"You must give at least one requirement to install", parse.Certain},
	{"Could not detect requirement name", parse.Certain}, {"Cannot find command '", parse.Certain},
	{"File \"setup.py\" ", parse.Certain}, {"Directory '", parse.Certain},
	{"Can not perform a '--user' install", parse.Certain}, {"Error [Errno ", parse.Certain},
	{"Command errored out with exit status ", parse.Repeat}, {"Command \"", parse.Repeat},
	{"Failed building wheel for ", parse.Repeat}, {"Failed to build ", parse.Repeat},
	{"Could not build wheels for ", parse.Repeat}, {"Exception:", parse.Repeat},
	{"Error while checking for conflicts", parse.Repeat},
}

func matchPip(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if text == "error: subprocess-exited-with-error" || strings.HasPrefix(l.Text, "error: ") {
		pipReport(s, strings.TrimPrefix(text, "error: "))
		return true
	}
	if names, ok := strings.CutPrefix(text, "Failed to build "); ok && strings.ContainsAny(names, ":'`/(") {
		return false // another tool prints such a list of names
	}
	if strings.HasSuffix(text, "Failed to build gem native extension.") {
		return false // RubyGems
	}
	text, marked := strings.CutPrefix(text, "ERROR: ")
	if marked && (strings.Contains(text, "which is incompatible") || strings.Contains(text, " has requirement ")) {
		s.Add(parse.Draft{Event: store.Event{Severity: store.SeverityWarning, Message: text, Category: store.CategoryBuild}})
		return true
	}
	if strings.HasPrefix(text, "pip's dependency resolver does not currently") {
		pipConflicts(s)
		return true
	}
	if strings.HasSuffix(text, " is not a supported wheel on this platform.") {
		s.Add(parse.Draft{Event: store.Event{Message: text, Category: store.CategoryBuild}})
		return true
	}
	for _, e := range pipErrors {
		if !strings.HasPrefix(text, e.start) {
			continue
		}
		if e.start == "Command \"" && !strings.Contains(text, " failed with error code ") {
			return false
		}
		d := parse.Draft{Weight: e.weight, Event: store.Event{Message: text, Category: store.CategoryBuild}}
		if rest, ok := strings.CutPrefix(text, "Could not find a version that satisfies the requirement "); ok {
			d.Key, _, _ = strings.Cut(rest, " (from")
		} else if rest, ok := strings.CutPrefix(text, "No matching distribution found for "); ok {
			d.Key, d.Rank = strings.TrimSpace(cutAt(rest, '(')), parse.Summary
		}
		s.Add(d)
		return true
	}
	return false
}

// pipReport reads the form of pip 22 and later: a code, and then "× what happened" and "╰─> why".
func pipReport(s *parse.Scan, code string) {
	d := s.Add(parse.Draft{Weight: parse.Repeat,
		Event: store.Event{Message: code, Code: code, Category: store.CategoryBuild}})
	if code == "externally-managed-environment" {
		d.Weight = parse.Certain
	}
	lines := 0
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		lines++
		switch {
		case strings.HasPrefix(text, "× "):
			d.Message = strings.TrimPrefix(text, "× ")
		case strings.HasPrefix(text, "╰─"):
			if rest := strings.TrimLeft(text, "╰─>▶ "); !strings.HasPrefix(rest, "[") && !strings.HasPrefix(rest, "See above") {
				d.Message += ": " + rest
			}
			d.Extend(l)
			return parse.Last
		case text != "" && !strings.HasPrefix(text, "│") || lines > 8:
			return parse.Done
		}
		d.Extend(l)
		return parse.Take
	})
}

// pipConflicts reads installed packages that conflict. pip calls them an error, but succeeds.
func pipConflicts(s *parse.Scan) {
	s.Block(parse.Rows(func(l parse.Line) bool {
		text := l.Trim()
		if !strings.Contains(text, " requires ") || !strings.Contains(text, ", but you ") {
			return false
		}
		s.Add(parse.Draft{Event: store.Event{Severity: store.SeverityWarning, Message: text, Category: store.CategoryBuild}})
		return true
	}))
}
