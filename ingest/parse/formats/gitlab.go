package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// gitlabFormat reads the lines of GitLab's runner.
var gitlabFormat = parse.Format{
	Name:     "gitlab",
	About:    "GitLab CI: sections of a job, and its outcome",
	Triggers: []string{"ERROR: Job failed", "Job succeeded"},
	Starts: []string{
		"section_start:", "section_end:", "Cleaning up project directory and file based variables",
		"Cleaning up file based variables", "Uploading artifacts for failed job", "Running after_script",
	},
	Ends:  []string{"section_start:", "section_end:", "ERROR: Job failed", "Job succeeded"},
	Match: matchGitLab,
}

func matchGitLab(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case strings.HasPrefix(text, "section_start:"), strings.HasPrefix(text, "section_end:"):
		gitlabSection(s, text)
		return true
	case strings.HasPrefix(text, "ERROR: Job failed"):
		d := parse.Draft{Weight: parse.Repeat,
			Event: store.Event{Message: strings.TrimPrefix(text, "ERROR: "), Category: store.CategoryCI}}
		if strings.Contains(text, "execution took longer") || strings.Contains(text, "system failure") {
			d.Weight = parse.Certain
		}
		if hasAnySuffix(text, "exit code 137", "exit status 137") { // killed, usually for lack of memory
			d.Weight = parse.Died
		}
		s.Add(d)
		s.EndStep(parse.Failed)
		return true
	// These are the titles of sections, for logs whose section marks were removed.
	case hasAnyPrefix(text, "Cleaning up ", "Uploading artifacts for failed job", "Running after_script"):
		s.Hush()
		return true
	case text == "Job succeeded":
		s.EndStep(parse.Passed)
		return true
	}
	return false
}

// gitlabSection reads the beginning or the end of a section, such as section_start:1560896352:step_script. It looks
// only at the section of the script, and at the section that uploads artifacts after a failure. GitLab reports the
// outcome of the script only after the cleanup sections.
func gitlabSection(s *parse.Scan, text string) {
	what, name, _ := strings.Cut(text, ":")
	_, name, _ = strings.Cut(name, ":")
	name, _, _ = strings.Cut(name, "[") // options such as [collapsed=true]
	script := name == "step_script" || name == "build_script"
	switch {
	case script && what == "section_start":
		s.BeginStep(parse.Passed)
	case script:
		s.Hush()
	case name == "upload_artifacts_on_failure":
		s.Fail()
	}
}
