package record

import (
	"os"

	"github.com/blq-ci/blq/internal/capture"
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/redact"
	"github.com/blq-ci/blq/store"
)

// Redactor returns a redactor of the secrets in this process's environment, of further values, and
// of token shapes.
func Redactor(values ...string) *redact.Redactor {
	return redact.New(redact.Options{Values: append(redact.FromEnvironment(os.Environ()), values...), Shapes: true})
}

// redactor returns what removes secrets from a run before anything of it is stored, nil for none.
// This cannot be done later: only while the command runs is its environment known.
func (s Spec) redactor(w *project.Project) *redact.Redactor {
	switch {
	case s.Raw:
		return nil
	case s.Redactor != nil:
		return s.Redactor
	case w.Config.Redact.Off:
		return nil
	}
	return Redactor()
}

// hide removes secrets from what is known of a run before it begins.
func hide(r *redact.Redactor, run *store.Run) {
	texts := []*string{&run.Command, &run.Cwd, &run.Git.Branch, &run.Git.Root}
	if run.CI != nil {
		ci := *run.CI
		run.CI = &ci
		texts = append(texts, &ci.Workflow, &ci.Job, &ci.Matrix, &ci.HeadRef, &ci.BaseRef, &ci.URL)
	}
	for _, t := range texts {
		*t = r.String(*t)
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
