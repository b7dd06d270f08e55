package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// pipFormat reads pip and uv: requirements that cannot be met, packages that
// cannot be built. What a package's own build printed is left to its tools.
var pipFormat = Format{
	Name:     "pip",
	About:    "pip and uv: requirements that cannot be met, packages that cannot be built",
	Triggers: []string{"error: subprocess-exited-with-error", "Failed building wheel for ", "Failed to build ", "that satisfies the requirement ", "No matching distribution found for ", "No solution found when resolving"},
	Starts: []string{"ERROR: ", "error: externally-managed-environment", "error: metadata-generation-failed", "error: legacy-install-failure", "error: invalid-installed-package",
		"error: uninstall-", "error: no-record-file", `Command "`, "Could not install packages due to "},
	New: stateless(matchPip),
}

// pipErrors are how pip's errors begin. Those that only say that something
// above failed are repeats; the others are its own.
var pipErrors = []struct {
	start  string
	weight Weight
}{
	{"Could not find a version that satisfies the requirement ", Certain}, {"No matching distribution found for ", Certain},
	{"Cannot install ", Certain}, {"ResolutionImpossible: ", Repeat},
	{"Could not install packages due to ", Certain}, {"Invalid requirement: ", Certain}, {"Could not open requirements file: ", Certain},
	{"Package '", Certain}, {"Package u'", Certain}, {"THESE PACKAGES DO NOT MATCH THE HASHES", Certain}, {"Hashes are required in --require-hashes mode", Certain},
	{"In --require-hashes mode", Certain}, {"HTTP error ", Certain}, {"Double requirement given: ", Certain}, {"Cannot uninstall ", Certain},
	{"You must give at least one requirement to install", Certain}, {"Could not detect requirement name", Certain}, {"Cannot find command '", Certain},
	{"File \"setup.py\" ", Certain}, {"Directory '", Certain}, {"Can not perform a '--user' install", Certain}, {"Error [Errno ", Certain},
	{"Command errored out with exit status ", Repeat}, {"Command \"", Repeat}, {"Failed building wheel for ", Repeat}, {"Failed to build ", Repeat},
	{"Could not build wheels for ", Repeat}, {"Exception:", Repeat}, {"Error while checking for conflicts", Repeat},
}

func matchPip(s *Scan, l Line) bool {
	text := l.Trim()
	switch {
	case text == "error: subprocess-exited-with-error" || strings.HasPrefix(l.Text, "error: "):
		pipReport(s, strings.TrimPrefix(text, "error: "))
		return true
	case strings.Contains(text, "No solution found when resolving"):
		d := pipReport(s, "no-solution")
		d.Weight, d.Message = Certain, strings.TrimSuffix(strings.TrimPrefix(text, "× "), ":")
		return true
	}
	if names, ok := strings.CutPrefix(text, "Failed to build "); ok && strings.ContainsAny(names, ":'`/(") {
		return false // not pip's: it lists names
	}
	text, marked := strings.CutPrefix(text, "ERROR: ")
	if marked && (strings.Contains(text, "which is incompatible") || strings.Contains(text, " has requirement ")) {
		s.Add(Draft{Event: store.Event{Severity: store.SeverityWarning, Message: text, Category: store.CategoryBuild}})
		return true
	}
	if strings.HasPrefix(text, "pip's dependency resolver does not currently") {
		pipConflicts(s)
		return true
	}
	if strings.HasSuffix(text, " is not a supported wheel on this platform.") {
		s.Add(Draft{Event: store.Event{Message: text, Category: store.CategoryBuild}})
		return true
	}
	for _, e := range pipErrors {
		if !strings.HasPrefix(text, e.start) {
			continue
		}
		if e.start == "Command \"" && !strings.Contains(text, " failed with error code ") {
			return false
		}
		d := Draft{Weight: e.weight, Event: store.Event{Message: text, Category: store.CategoryBuild}}
		if rest, ok := strings.CutPrefix(text, "Could not find a version that satisfies the requirement "); ok {
			d.Key, _, _ = strings.Cut(rest, " (from")
		} else if rest, ok := strings.CutPrefix(text, "No matching distribution found for "); ok {
			d.Key, d.Rank = strings.TrimSpace(cutAt(rest, '(')), Summary
		}
		s.Add(d)
		return true
	}
	return false
}

// pipReport reads the form that pip has had since version 22: a code, then
// "× what happened" and "╰─> why". uv prints the last two alone.
func pipReport(s *Scan, code string) *Draft {
	d := s.Add(Draft{Weight: Repeat, Event: store.Event{Message: code, Code: code, Category: store.CategoryBuild}})
	if code == "externally-managed-environment" {
		d.Weight = Certain
	}
	lines := 0
	s.Block(func(l Line) Verdict {
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
			return Last
		case text != "" && !strings.HasPrefix(text, "│") || lines > 8:
			return Done
		}
		d.Extend(l)
		return Take
	})
	return d
}

// pipConflicts reads what pip has installed although it does not fit: pip
// calls it an error and ends with success.
func pipConflicts(s *Scan) {
	s.Block(func(l Line) Verdict {
		text := l.Trim()
		if !strings.Contains(text, " requires ") || !strings.Contains(text, ", but you ") {
			return Done
		}
		s.Add(Draft{Event: store.Event{Severity: store.SeverityWarning, Message: text, Category: store.CategoryBuild}})
		return Take
	})
}
