package markdown

import (
	"fmt"
	"slices"
	"strings"
)

// headline returns a line about the failures, and how many of them are new. It says that all steps passed only if there
// is no sign of a failure.
func (v *pullView) headline() string {
	c := v.counts
	line, rest := "", ""
	if c.Running > 0 {
		rest = "; " + Count(c.Running, "step") + " still running"
	}
	if len(v.open) > 0 {
		rest += "; " + Count(len(v.open), "job") + " had not ended"
	}
	if c.Allowed > 0 {
		rest += "; " + Count(c.Allowed, "step") + " failed, which is allowed"
	}
	if v.partial() {
		rest += "; not all is known"
	}
	passed := len(v.runs) - c.Steps - c.Running - c.Allowed
	switch {
	case c.Failed > 0:
		line = fmt.Sprintf("❌ %d failed%s", c.Failed, c.standings(v.base()))
	case len(v.silent) > 0:
		line = "❌ " + v.silence()
	case len(v.cancelled) > 0:
		line = "🚫 " + Count(len(v.cancelled), "job") + " cancelled"
	case c.Running > 0:
		line, rest = "⏳ "+Count(c.Running, "step")+" running, none failed so far",
			strings.TrimPrefix(rest, "; "+Count(c.Running, "step")+" still running")
		return line + rest
	case v.partial(), c.Allowed > 0:
		line = "⚠️ " + Count(passed, "step") + " passed"
	case len(v.open) > 0:
		line = "⏳ " + passedSteps(passed)
	default:
		line = "✅ " + passedSteps(passed)
	}
	if c.Fixed > 0 {
		line += ", " + fmt.Sprintf("%d fixed", c.Fixed)
	}
	if c.Retried > 0 {
		line += ", " + Count(c.Retried, "flaky step")
	}
	return line + rest
}

func passedSteps(n int) string {
	if n == 1 {
		return "1 step passed"
	}
	return fmt.Sprintf("all %d steps passed", n)
}

// silence returns a text with the number of jobs that failed without a run that explains the failure.
func (v *pullView) silence() string {
	jobs := Count(len(v.silent), "job") + " failed"
	if slices.ContainsFunc(v.silent, v.saw) {
		return jobs + ", and blq saw no failing step there"
	}
	return jobs + " outside of what blq saw"
}

// standings returns a text with the numbers of failures by standing. It returns "" if no failure is new, flaky or on
// the base.
func (c PullCounts) standings(base string) string {
	var parts []string
	for _, part := range []struct {
		n    int
		what string
	}{{c.New, "new"}, {c.Base, "also on " + base}, {c.Flaky, "flaky"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.what))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	if c.Unknown > 0 {
		parts = append(parts, fmt.Sprintf("%d with nothing to compare with", c.Unknown))
	}
	return ": " + strings.Join(parts, ", ")
}
