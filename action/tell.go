package action

import (
	"cmp"
	"context"
	"os"
	"strconv"
	"time"

	"github.com/blq-ci/blq/ingest/client"
	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/project/backend"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// outcome holds the values of the step's outputs.
type outcome struct {
	ref, url         string
	artifacts        string
	page             func(store.Ref) string // returns the URL of the page about an event, nil without pages
	status           store.Status
	errors, warnings int
	compared         bool // the run was compared with a baseline
	fresh            int  // number of new errors
}

// asking is the max time for collecting the facts of a run.
const asking = 10 * time.Second

// tell reports on a run in a line of the log. If the step's inputs ask for it, tell also writes annotations and the
// summary. After the end of the context server, tell asks the server nothing.
func (s *wrapped) tell(ctx, server context.Context, r store.Run, sent client.Pushed) outcome {
	o := outcome{ref: cmp.Or(sent.Ref, r.Ref().String()), url: sent.URL, status: r.Status(), errors: r.Errors,
		warnings: r.Warnings}
	if info, err := os.Stat(s.state.path("artifacts", r.Attempt)); err == nil && info.IsDir() {
		o.artifacts = s.state.path("artifacts", r.Attempt)
	}
	if s.quit.cancelled() {
		return o // the job was cancelled: there is no time, and nobody reads the report
	}
	ctx, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	asker := s.asker(r)
	f, err := markdown.Gather(ctx, asker, cmdline.Words, r, "")
	if err != nil {
		s.lost = append(s.lost, "no annotations and summary: "+err.Error())
		return o
	}
	f.Baseline = store.Baseline{} // the local store has only this job's runs
	s.compare(server, f, sent)
	rename(f, sent.Ref)
	o.page = pagesOf(sent)
	f.LinkTo(o.page)
	o.compared, o.fresh = f.Baseline.Found(), f.NewErrors
	if o.status == store.StatusOK && s.in.blocks(o) != "" {
		f.Gate = "fail-on: " + s.in.FailOn
	}
	if s.in.Annotations {
		s.annotate(ctx, asker, f, o)
	}
	if s.in.Summary {
		s.summarise(f)
	}
	s.headline(f, o)
	return o
}

// asker returns an asker that sees only one run of the job's store. So a run of another step cannot become the
// baseline.
func (s *wrapped) asker(r store.Run) *query.Asker {
	a := backend.Asker(s.w).OnlyRun(r.Attempt)
	a.Stale = nil
	return a
}

// headline prints a line about how a run ended. It prints nothing if the run has passed, has no errors or warnings, and
// has no URL.
func (s *wrapped) headline(f *markdown.Facts, o outcome) {
	r := f.Run
	if r.Status() == store.StatusOK && r.Errors+r.Warnings == 0 && o.url == "" {
		return
	}
	line := o.ref + " " + string(o.status)
	if f.Gate != "" {
		line = o.ref + " " + string(store.StatusFail) + " (" + f.Gate + ")"
	}
	if r.ExitCode != nil && *r.ExitCode != 0 {
		line += " (exit code " + strconv.Itoa(*r.ExitCode) + ")"
	} else if r.Signal != "" {
		line += " (" + r.Signal + ")"
	}
	line += " in " + markdown.Took(r.Duration())
	if r.Errors+r.Warnings > 0 {
		line += ": " + s.counts(f)
	}
	if o.url != "" {
		line += "  " + o.url
	}
	s.Say("%s", line)
}

// counts returns the number of errors and warnings as text.
func (s *wrapped) counts(f *markdown.Facts) string {
	line := count(f.Run.Errors, "error")
	if f.Baseline.Found() && f.Run.Errors > 0 {
		line += " (" + strconv.Itoa(f.NewErrors) + " new)"
	}
	return line + ", " + count(f.Run.Warnings, "warning")
}

func count(n int, noun string) string { return markdown.Count(n, noun) }

// maxSummary is the max size of a step's part of the job's summary. The runner drops a larger part completely.
// maxSummaryStep is the max size of the report on one run.
const (
	maxSummary     = 1 << 20
	maxSummaryStep = markdown.MaxBytes
)

// summarise adds the report on a run to the job's summary.
func (s *wrapped) summarise(f *markdown.Facts) {
	if err := s.AddSummary(markdown.Render(f, markdown.PRComment, maxSummaryStep)); err != nil {
		s.lost = append(s.lost, "no summary: "+err.Error())
	}
}

// AddSummary adds Markdown to the job's summary. Without a file for the summary, it does nothing. The error is TooLarge
// if GitHub would drop the whole summary.
func (j *Job) AddSummary(markdown string) error {
	path := j.Getenv("GITHUB_STEP_SUMMARY")
	if path == "" {
		return nil
	}
	text := "\n" + j.Redactor.String(markdown) + "\n"
	if info, err := os.Stat(path); err == nil && info.Size()+int64(len(text)) >= maxSummary {
		return store.Errorf(store.TooLarge, "GitHub takes 1 MiB of a step, and the step wrote %s",
			count(int(info.Size()), "byte"))
	}
	return appendTo(path, text)
}

// output sets the step's outputs.
func (s *wrapped) output(o outcome) {
	fresh := ""
	if o.compared {
		fresh = strconv.Itoa(o.fresh)
	}
	for _, out := range [][2]string{
		{"run-ref", o.ref}, {"status", string(o.status)}, {"errors", strconv.Itoa(o.errors)},
		{"warnings", strconv.Itoa(o.warnings)},
		{"new-errors", fresh}, {"url", o.url}, {"artifacts", o.artifacts},
	} {
		s.SetOutput(out[0], out[1])
	}
}

// SetOutput sets an output. Without a file for outputs, it does nothing.
func (j *Job) SetOutput(name, value string) {
	_ = j.fileCommand("GITHUB_OUTPUT", name, j.Redactor.Label(oneLine(value))) // without a file there is no reader
}

// root returns the folder to which file names in annotations are relative.
func (s *wrapped) root(r store.Run) string {
	return cmp.Or(r.Git.Root, s.Getenv("GITHUB_WORKSPACE"), project.Top(r.Cwd))
}
