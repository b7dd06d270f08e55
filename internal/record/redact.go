package record

import (
	"os"

	"github.com/blq-ci/blq/internal/capture"
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/redact"
	"github.com/blq-ci/blq/store"
)

// Redactor returns one that knows the secrets of this process's environment,
// further values, and the shapes of tokens.
func Redactor(values ...string) *redact.Redactor {
	return redact.New(redact.Options{Values: append(redact.FromEnvironment(os.Environ()), values...), Shapes: true})
}

// redactor returns what takes the secrets from a run before anything of it is
// stored, nil for nothing. Only while the command runs is its environment known:
// who sends the run later cannot tell its secrets any more.
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

// hide takes the secrets from what is known of a run before it begins.
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

// redactWith makes the session keep the output without secrets.
func (s *session) redactWith(r *redact.Redactor) {
	s.redactor = r
	s.redacted = map[capture.Stream]*redact.Stream{}
	for _, name := range streams {
		s.redacted[name] = r.Stream(func(text []byte) { s.take(name, text) })
	}
}
