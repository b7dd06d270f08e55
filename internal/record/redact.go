package record

import (
	"os"
	"strings"

	"github.com/blq-ci/blq/internal/capture"
	"github.com/blq-ci/blq/internal/jobmasks"
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/redact"
	"github.com/blq-ci/blq/store"
)

// Redactor returns a redactor for the secrets in this process's environment, for the masks of the job to which the
// process belongs, for further values, and for token shapes.
func Redactor(values ...string) *redact.Redactor {
	r := redact.New(redact.Options{Values: redact.FromEnvironment(os.Environ()), Shapes: true})
	r.Add(jobmasks.OfJob()...)
	r.Add(values...)
	return r
}

// JobRedactor is Redactor in a job of GitHub Actions that has secrets. Elsewhere it returns nil.
func JobRedactor() *redact.Redactor {
	if len(jobmasks.OfJob()) == 0 {
		return nil
	}
	return Redactor()
}

// redactor returns the redactor for a run, or nil if nothing is redacted. It must be called before anything is stored,
// because a later process does not know the secrets in the environment of the command.
func (s Spec) redactor(w *project.Project) *redact.Redactor {
	switch {
	case s.Raw:
		return nil
	case s.Redactor != nil:
		return s.Redactor
	case w.Config.Redact.Off:
		return nil
	}
	return s.newRedactor()
}

// Hide removes secrets from the facts of a run, also from the name of its source.
func Hide(r *redact.Redactor, run *store.Run) {
	run.Source = hideName(r, run.Source)
	run.Command = r.Command(run.Command)
	texts := []*string{&run.Cwd, &run.Hostname, &run.Git.Branch, &run.Git.Root, &run.Lost}
	if run.CI != nil {
		ci := *run.CI
		run.CI = &ci
		texts = append(texts, &ci.Workflow, &ci.Job, &ci.Matrix, &ci.Actor, &ci.HeadRef, &ci.BaseRef, &ci.URL)
	}
	for _, t := range texts {
		*t = r.String(*t)
	}
}

// HideSnapshot removes secrets from the names in a snapshot before its facts are sent. A tag with a secret is left
// out.
func HideSnapshot(r *redact.Redactor, s *store.Snapshot) {
	s.Branch = r.String(s.Branch)
	if r.String(s.Tag) != s.Tag {
		s.Tag = ""
	}
}

// hideName removes secrets from the name of a source. Such a name must not contain asterisks.
func hideName(r *redact.Redactor, name string) string {
	return strings.ReplaceAll(r.Label(name), "***", "redacted")
}

// hideEvent removes secrets from an event. This is needed although the log is already redacted. An event may join the
// text of several lines, and a later line of the log may have masked more values.
func hideEvent(r *redact.Redactor, e *store.Event) {
	changed := false
	for _, t := range []*string{&e.Message, &e.File, &e.Test, &e.Code} {
		if hidden := r.String(*t); hidden != *t {
			*t, changed = hidden, true
		}
	}
	if changed {
		e.Fingerprint, e.Pattern = store.Fingerprint(*e), store.Pattern(*e)
	}
}

// hideLate removes values that became secret later from the text of a stored event. If a line end split a value in
// the log, the event may have only the beginning of the value, at the end of its message.
func hideLate(r *redact.Redactor, e *store.Event) {
	hideEvent(r, e)
	const cut = "…" // the redactor removes the beginning of a value before this mark
	if hidden := strings.TrimSuffix(r.String(e.Message+cut), cut); hidden != e.Message {
		e.Message = hidden
		e.Fingerprint, e.Pattern = store.Fingerprint(*e), store.Pattern(*e)
	}
}

// hideEvents removes secrets from events before they are stored.
func (s *session) hideEvents(events []store.Event) {
	if s.redactor == nil {
		return
	}
	for i := range events {
		hideEvent(s.redactor, &events[i])
	}
}

// redactWith makes the session store the output without secrets.
func (s *session) redactWith(r *redact.Redactor) {
	s.redactor = r
	s.redacted = map[capture.Stream]*redact.Stream{}
	for _, name := range streams {
		s.redacted[name] = r.Stream(func(text []byte) { s.take(name, text) })
	}
}
