//go:build job

package backend

import (
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/query"
)

// withLibrary adds nothing, because steps do not search documentation.
func (b *Backend) withLibrary(d *query.Docs) *query.Docs { return d }

func withOpenedLibrary(_ *project.Project, d *query.Docs) *query.Docs { return d }
