package findings

import (
	"context"

	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/store"
)

// Results returns the results that are not nil.
func (r Report) Results() []*Result {
	var list []*Result
	for _, one := range []*Result{r.Lint, r.Sync} {
		if one != nil {
			list = append(list, one)
		}
	}
	return list
}

// exitCode returns 1 if there are errors, and 0 otherwise.
func (r *Result) exitCode() int { return min(r.Errors, 1) }

// Record records a result as a run. It sets the name and the command in spec.
func (r *Result) Record(ctx context.Context, w *project.Project, spec record.Spec) (store.Run, error) {
	spec.Source, spec.Command.Text = r.Name, r.Command
	return record.Findings(ctx, w, spec, r.Findings, r.summary(), r.exitCode())
}
