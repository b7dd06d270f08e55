package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// jenkinsFormat reads Jenkins' own lines, of pipelines and of freestyle jobs.
var jenkinsFormat = Format{
	Name:     "jenkins",
	About:    "Jenkins: steps of a pipeline, and how the build ended",
	Triggers: []string{"script returned exit code", "marked build as failure", "skipped due to earlier failure"},
	Starts:   []string{"[Pipeline] ", "Finished: ", "ERROR: Timeout ", "Cancelling nested steps due to timeout"},
	New:      func() Matcher { return new(jenkins).match },
}

// jenkins follows the steps of a pipeline. A step that is followed by another
// passed; what runs after a failure are the post actions.
type jenkins struct {
	post bool
}

func (j *jenkins) match(s *Scan, l Line) bool {
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
	case strings.HasPrefix(text, "hudson.AbortException: script returned exit code"): // the trace of the same, of a post condition
		s.Add(Draft{Weight: Repeat, Event: store.Event{Message: strings.TrimPrefix(text, "hudson.AbortException: "), Category: store.CategoryCI}})
	case strings.HasPrefix(text, "ERROR: script returned exit code"), strings.HasPrefix(text, "Build step '"):
		s.Fail()
		s.Add(Draft{Weight: Repeat, Event: store.Event{Message: strings.TrimPrefix(text, "ERROR: "), Category: store.CategoryCI}})
		if strings.HasPrefix(text, "Build step '") {
			s.Hush() // what follows are the actions after the build
		}
	case strings.HasPrefix(text, "Cancelling nested steps due to timeout"), strings.HasPrefix(text, "ERROR: Timeout "):
		s.Fail()
		s.Add(Draft{Key: "timeout", Event: store.Event{Message: strings.TrimPrefix(text, "ERROR: "), Category: store.CategoryCI, Code: "timeout"}})
	default:
		return false
	}
	return true
}

func (j *jenkins) step(s *Scan, step string) {
	switch {
	case strings.Contains(step, "(Declarative: Post Actions)"):
		j.post = true
		s.Hush()
	case step == "End of Pipeline":
		s.Hush()
	case !j.post && (step == "sh" || step == "bat" || step == "powershell" || step == "pwsh"):
		s.BeginStep(Passed)
	}
}

func jenkinsFinished(s *Scan, outcome string) bool {
	switch outcome {
	case "SUCCESS":
		s.EndStep(Passed)
	case "FAILURE":
		s.EndStep(Failed)
	case "UNSTABLE", "ABORTED", "NOT_BUILT":
		s.EndStep(Unknown)
	default:
		return false
	}
	return true
}
