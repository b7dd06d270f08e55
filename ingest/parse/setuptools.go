package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// setuptoolsFormat reads what setup.py ends with: a compiler that failed, or
// its own errors.
var setuptoolsFormat = Format{
	Name:     "setuptools",
	About:    "setuptools and distutils: errors of setup.py",
	Triggers: []string{"error: command '", "error: Microsoft Visual C++ "},
	Starts: []string{"error in ", "error: invalid command '", "error: package directory '", "error: Could not find suitable distribution for ", "error: option -", "error: can't copy '",
		"error: Unable to find vcvarsall.bat", "error: Setup script exited with ", "error: unknown file type '", "error: no commands supplied"},
	New: stateless(matchSetuptools),
}

func matchSetuptools(s *Scan, l Line) bool {
	text := l.Trim()
	if strings.HasPrefix(text, "error in ") {
		if name, rest, ok := strings.Cut(text[9:], " setup command: "); !ok || strings.IndexByte(name, ' ') >= 0 || rest == "" {
			return false
		}
		s.Add(Draft{Event: store.Event{Message: text, Category: store.CategoryBuild}})
		return true
	}
	message, ok := strings.CutPrefix(text, "error: ")
	if !ok {
		return false
	}
	d := Draft{Event: store.Event{Message: message, Category: store.CategoryBuild}}
	if strings.HasPrefix(message, "command '") || strings.HasPrefix(message, "Setup script exited") {
		d.Weight = Repeat
	}
	s.Add(d)
	return true
}
