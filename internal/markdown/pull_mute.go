package markdown

import (
	"fmt"
	"strings"

	"github.com/blq-ci/blq/store"
)

// mute returns lines about failed jobs that no run explains, and about jobs that were cancelled or had not ended. It
// also returns lines about data that was not read.
func (v *pullView) mute(l limits) string {
	var seen, unseen []Job
	for _, j := range v.silent {
		if v.saw(j) {
			seen = append(seen, j)
		} else {
			unseen = append(unseen, j)
		}
	}
	var lines []string
	for _, part := range []struct {
		what string
		jobs []Job
	}{
		{"Failed in a step that blq did not see: ", unseen},
		{"GitHub says that these jobs failed, and blq saw no failing step there: ", seen}, {"Cancelled: ", v.cancelled},
		{"Had not ended: ", v.open},
	} {
		if len(part.jobs) > 0 {
			lines = append(lines, part.what+named(part.jobs, max(l.files, 3)))
		}
	}
	if v.params.Unread > 0 {
		lines = append(lines, Count(v.params.Unread, "part")+
			" of what the jobs left could not be read, so a failure may be missing here.")
	}
	if v.cut {
		lines = append(
			lines, fmt.Sprintf("Only the newest %d runs of the commit were read, so a failure may be missing here.", maxPulled))
	}
	return strings.Join(lines, "\n\n")
}

// named lists at most maxJobs names of jobs, with links if possible.
func named(jobs []Job, maxJobs int) string {
	var names []string
	for _, j := range jobs[:min(len(jobs), maxJobs)] {
		name := Code(j.Name, nameBytes)
		if githubJob.MatchString(j.URL) {
			name = "[" + name + "](" + j.URL + ")"
		}
		names = append(names, name)
	}
	if more := len(jobs) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// jobName returns the CI system's name of a run's job, with a link if possible.
func (v *pullView) jobName(r store.Run) string {
	if j := v.params.jobOf(r); j != nil && r.CI.Job != "" {
		return linkedJob(r, j.Name)
	}
	return jobName(r)
}

// jobName returns the name of a run's job and its matrix leg, with a link if possible.
func jobName(r store.Run) string {
	if r.CI == nil || r.CI.Job == "" {
		return ""
	}
	name := r.CI.Job
	if leg := legWords(r.CI.Matrix); leg != "" {
		name += " (" + leg + ")"
	}
	return linkedJob(r, name)
}

func linkedJob(r store.Run, name string) string {
	if url := jobURL(r); url != "" {
		return "[" + Code(name, nameBytes) + "](" + url + ")"
	}
	return Code(name, nameBytes)
}
