//go:build job

package backend

import (
	"github.com/blq-ci/blq/internal/project/realms"
	"github.com/blq-ci/blq/query"
)

// work returns nil, because jobs have no sessions.
func (b *Backend) work(realms.Project) query.RealmWork { return nil }
