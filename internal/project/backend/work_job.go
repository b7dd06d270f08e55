//go:build job

package backend

import (
	"github.com/blq-ci/blq/internal/project/realms"
	"github.com/blq-ci/blq/query"
)

// work returns none: nobody works in a job.
func (b *Backend) work(realms.Project) query.RealmWork { return nil }
