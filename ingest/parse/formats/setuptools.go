package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// setuptoolsFormat reads the final error of setup.py. Either a compiler failed, or setup.py itself.
var setuptoolsFormat = parse.Format{
	Name:     "setuptools",
	About:    "setuptools and distutils: errors of setup.py",
	Triggers: []string{"error: command '", "error: Microsoft Visual C++ "},
	Starts: []string{"error in ", "error: invalid command '", "error: package directory '",
		"error: Could not find suitable distribution for ", "error: option -", "error: can't copy '",
		"error: Unable to find vcvarsall.bat", "error: Setup script exited with ", "error: unknown file type '",
		"error: no commands supplied"},
	Match: matchSetuptools,
}

func matchSetuptools(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if strings.HasPrefix(text, "error in ") {
		if name, rest, ok := strings.Cut(text[9:], " setup command: "); !ok || strings.IndexByte(name, ' ') >= 0 ||
			rest == "" {
			return false
		}
		s.Add(parse.Draft{Event: store.Event{Message: text, Category: store.CategoryBuild}})
		return true
	}
	message, ok := strings.CutPrefix(text, "error: ")
	if !ok {
		return false
	}
	d := parse.Draft{Event: store.Event{Message: message, Category: store.CategoryBuild}}
	if strings.HasPrefix(message, "command '") || strings.HasPrefix(message, "Setup script exited") {
		d.Weight = parse.Repeat
	}
	s.Add(d)
	return true
}
