package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// These are the formats of CI systems that add only one kind of line to the output of a step: the line with the outcome
// of a command.
var (
	circleciFormat = exitLine("circleci", "CircleCI", "Exited with code ", "CircleCI received exit code ",
		"Too long with no output")
	buildkiteFormat = exitLine("buildkite", "Buildkite", "🚨 Error: ", "^^^ +++", "user command error: ")
	appveyorFormat  = exitLine("appveyor", "AppVeyor", "Command exited with code ", "Command executed with exception: ",
		"Build execution time has reached the maximum allowed time")
)

// exitLine returns the format of a CI system whose lines with these starts report the outcome of a command. Several
// lines about failures in one step are one failure.
func exitLine(name, title string, starts ...string) parse.Format {
	return parse.Format{Name: name, About: title + ": outcomes of commands", Starts: starts,
		Match: func(s *parse.Scan, l parse.Line) bool {
			text := l.Trim()
			if strings.HasSuffix(text, " code 0") || strings.HasSuffix(text, " status 0") {
				s.EndStep(parse.Passed)
				return true
			}
			if s.Hushed() || text == "^^^ +++" { // repeated; or Buildkite's mark that opens the previous section
				return true
			}
			s.Fail()
			d := parse.Draft{Weight: parse.Repeat,
				Event: store.Event{Message: strings.TrimPrefix(text, "🚨 Error: "), Category: store.CategoryCI}}
			if strings.HasPrefix(text, "Too long") || strings.HasPrefix(text, "Build execution time") {
				d.Weight, d.Code = parse.Certain, "timeout"
			}
			s.Add(d)
			s.Hush()
			return true
		}}
}
