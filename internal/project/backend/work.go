//go:build !job

package backend

import (
	"cmp"

	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/project/realms"
	shared "github.com/blq-ci/blq/internal/realms"
	"github.com/blq-ci/blq/query"
)

// work provides query with the sessions, work trees and pull requests of a project's realm. Pull requests need a token.
func (b *Backend) work(p realms.Project) query.RealmWork {
	w := realms.Work{Project: p}
	token := cmp.Or(b.getenv("GITHUB_TOKEN"), b.getenv("GH_TOKEN"))
	if token == "" {
		return w
	}
	client, err := github.New(github.Config{API: b.getenv("GITHUB_API_URL"), Token: token, Patience: -1})
	if err == nil { // after an error there are no pull requests, as without a token
		w.Forge = shared.Forge{Client: client}
	}
	return w
}
