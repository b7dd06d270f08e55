package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// jenkinsFormat reads the lines of Jenkins itself, in pipelines and freestyle jobs.
var jenkinsFormat = parse.Format{
	Name:     "jenkins",
	About:    "Jenkins: steps of a pipeline, and the outcome of the build",
	Triggers: []string{"script returned exit code", "marked build as failure", "skipped due to earlier failure"},
	Starts:   []string{"[Pipeline] ", "Finished: ", "ERROR: Timeout ", "Cancelling nested steps due to timeout"},
	New:      func() parse.Matcher { return new(jenkins).match },
}

// jenkins follows the steps of a pipeline. A step passed if another step follows. The steps of post actions do not
// count, because they also run after a failure. post is true in post actions.
type jenkins struct {
	post bool
}

func (j *jenkins) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if step, ok := strings.CutPrefix(text, "[Pipeline] "); ok {
		j.step(s, step)
		return true
	}
	if outcome, ok := strings.CutPrefix(text, "Finished: "); ok {
		return jenkinsFinished(s, outcome)
	}
	switch {
	case strings.Contains(text, "skipped due to earlier failure"):
		s.Fail()
		s.Hush()
	// A post condition prints the stack trace of the error a second time.
	case strings.HasPrefix(text, "hudson.AbortException: script returned exit code"):
		s.Add(parse.Draft{Weight: parse.Repeat,
			Event: store.Event{Message: strings.TrimPrefix(text, "hudson.AbortException: "), Category: store.CategoryCI}})
	case strings.HasPrefix(text, "ERROR: script returned exit code"), strings.HasPrefix(text, "Build step '"):
		s.Fail()
		s.Add(parse.Draft{Weight: parse.Repeat,
			Event: store.Event{Message: strings.TrimPrefix(text, "ERROR: "), Category: store.CategoryCI}})
		if strings.HasPrefix(text, "Build step '") {
			s.Hush() // the actions after the build follow
		}
	case strings.HasPrefix(text, "Cancelling nested steps due to timeout"), strings.HasPrefix(text, "ERROR: Timeout "):
		s.Fail()
		s.Add(parse.Draft{Key: "timeout",
			Event: store.Event{Message: strings.TrimPrefix(text, "ERROR: "), Category: store.CategoryCI, Code: "timeout"}})
	default:
		return false
	}
	return true
}

func (j *jenkins) step(s *parse.Scan, step string) {
	switch {
	case strings.Contains(step, "(Declarative: Post Actions)"):
		j.post = true
		s.Hush()
	case step == "End of Pipeline":
		s.Hush()
	case !j.post && (step == "sh" || step == "bat" || step == "powershell" || step == "pwsh"):
		s.BeginStep(parse.Passed)
	}
}

func jenkinsFinished(s *parse.Scan, outcome string) bool {
	switch outcome {
	case "SUCCESS":
		s.EndStep(parse.Passed)
	case "FAILURE":
		s.EndStep(parse.Failed)
	case "UNSTABLE", "ABORTED", "NOT_BUILT":
		s.EndStep(parse.Unknown)
	default:
		return false
	}
	return true
}
