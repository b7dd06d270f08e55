package main

import (
	"context"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/realms"
	"github.com/blq-ci/blq/store"
)

// realms finds what the caller may see of realms.
func (s *service) realms(ctx context.Context) realms.Stored {
	return realms.Stored{Scope: auth.From(ctx).Read, Facts: facts.Stored{Store: s.places.store, Blobs: s.places.blobs,
		Scope: store.Everything(), DefaultBranch: branches{s.places.store}.DefaultBranch, Sets: s.facts}}
}
