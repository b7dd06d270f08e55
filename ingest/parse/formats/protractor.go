package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// protractorFormat reads errors that kept Protractor from running specs. jasmineFormat reads failed specs.
var protractorFormat = parse.Format{
	Name:     "protractor",
	About:    "Protractor: browsers that do not start, errors of its configuration",
	Triggers: []string{"E/launcher - ", "E/configParser - ", "E/runnerCli - ", "E/direct - ", "E/hosted - "},
	New:      func() parse.Matcher { return new(protractor).match },
}

// protractor keeps the newest error, because the next lines add to it.
type protractor struct {
	code string
	last *parse.Draft
}

// match reads "[14:05:12] E/launcher - message" and the stack trace below.
func (m *protractor) match(s *parse.Scan, l parse.Line) bool {
	text, _ := cutGulpTime(l.Trim())
	part, message, ok := strings.Cut(text, " - ")
	if !ok || !strings.HasPrefix(part, "E/") {
		return false
	}
	if code, ok := strings.CutPrefix(message, "Error code: "); ok {
		m.code = code
		return true
	}
	message, _ = cutAny(message, "Error message: ", "Error: ")
	name, rest, named := strings.Cut(message, ": ")
	if named && strings.HasSuffix(name, "Error") {
		message = rest
	}
	ends := hasAnyPrefix(message, "Process exited with error code", "BUG: launcher exited",
		"Runner process exited unexpectedly")
	// Protractor repeats the error with a stack trace.
	if m.last != nil && l.N <= m.last.LogLineEnd+1 && m.last.Weight != parse.Repeat {
		m.last.Extend(l)
		if !ends && !strings.Contains(m.last.Message, message) {
			m.last.Message += "\n" + message
		}
	} else {
		d := parse.Draft{Event: store.Event{Message: message, Code: m.code, Category: store.CategoryTest}}
		if ends {
			d.Weight = parse.Repeat
		}
		m.last = s.Add(d)
	}
	m.code = ""
	s.Block(parse.Below{Starts: []string{"at ", "(Driver info:", "(Session info:", "From: Task: ", "Require stack:",
		"- "}}.Block(m.last))
	return true
}
