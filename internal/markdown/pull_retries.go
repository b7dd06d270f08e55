package markdown

import (
	"fmt"
	"strings"

	"github.com/blq-ci/blq/store"
)

// retries lists the steps that failed before they passed, with both attempts.
func (v *pullView) retries(l limits) string {
	if len(v.flaky) == 0 {
		return ""
	}
	var b strings.Builder
	for _, f := range v.flaky[:min(len(v.flaky), max(l.known, 1))] {
		when := "on a re-run"
		if executionOf(f.failed) == executionOf(f.passed) {
			when = "on a retry"
		}
		where := ""
		if job := v.jobName(f.passed); job != "" {
			where = " in " + job
		}
		fmt.Fprintf(&b, "- %s%s passed %s: %s, then %s\n", Code(f.passed.Source, nameBytes), where, when, v.tried(f.failed),
			v.tried(f.passed))
	}
	if more := len(v.flaky) - max(l.known, 1); more > 0 {
		fmt.Fprintf(&b, "- and %d more\n", more)
	}
	return "⚠️ Flaky:\n\n" + b.String()
}

// tried names one attempt of a step: its outcome, and its ref if there is one. If the attempt has a URL, tried adds a
// link with the attempt number.
func (v *pullView) tried(r store.Run) string {
	text := "passed"
	if r.Status() != store.StatusOK {
		text = ended[r.Status()]
	}
	if ref := v.ref(r); ref.Serial > 0 {
		text += " (" + Code(ref.String(), 200) + ")"
	}
	if url := attemptURL(r); url != "" {
		return text + fmt.Sprintf(", [attempt %d](%s)", executionOf(r).attempt, url)
	}
	return text
}

// attemptURL returns the URL of a run's attempt in GitHub Actions. It returns the URL of the job unchanged if the CI
// system is another one, or if the URL already names an attempt or a job. If the URL of the job is unknown, it returns
// "".
func attemptURL(r store.Run) string {
	url := jobURL(r)
	if url == "" || r.CI.Provider != "github" || strings.Contains(url, "/attempts/") || strings.Contains(url, "/job/") {
		return url
	}
	return fmt.Sprintf("%s/attempts/%d", url, executionOf(r).attempt)
}
