package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// travisFormat reads Travis CI's own lines: each command of a build ends with
// a line that says how.
var travisFormat = Format{
	Name:     "travis",
	About:    "Travis CI: how each command of the build ended",
	Triggers: []string{`The command "`, "Done. Your build exited with", "Your build has been stopped", "No output has been received in the last"},
	Starts:   []string{"travis_fold:", "travis_time:"},
	Markup:   true,
	New:      stateless(matchTravis),
}

func matchTravis(s *Scan, l Line) bool {
	text := l.Trim()
	if strings.HasPrefix(text, "travis_") {
		return true
	}
	if strings.HasPrefix(text, "No output has been received in the last") {
		s.Add(Draft{Event: store.Event{Message: text, Category: store.CategoryCI, Code: "no-output"}})
		s.EndStep(Failed)
		return true
	}
	if strings.HasPrefix(text, "Done. Your build exited") || strings.HasPrefix(text, "Your build has been stopped") {
		s.BeginStep(Unknown)
		return true
	}
	command, rest, ok := cutTravisCommand(text)
	if !ok {
		return false
	}
	if code, ok := strings.CutPrefix(rest, " exited with "); ok && strings.TrimSuffix(code, ".") == "0" {
		s.EndStep(Passed)
		return true
	}
	s.Fail()
	s.Add(Draft{Weight: Repeat, Event: store.Event{Message: "The command " + command + strings.TrimSuffix(rest, "."), Category: store.CategoryCI}})
	s.EndStep(Failed)
	return true
}

// cutTravisCommand splits `The command "make" exited with 2.`
func cutTravisCommand(text string) (command, rest string, ok bool) {
	if !strings.HasPrefix(text, `The command "`) {
		return "", "", false
	}
	for _, end := range []string{`" exited with `, `" failed and exited with `, `" failed.`} {
		if i := strings.LastIndex(text, end); i > 0 {
			return text[len("The command ") : i+1], text[i+1:], true
		}
	}
	return "", "", false
}
