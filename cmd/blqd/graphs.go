package main

import (
	"context"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// maxGraphs is the max number of bytes of graphs in memory, for all repositories together.
const maxGraphs = 128 << 20

// maxSources is the max number of bytes of source files from which a repository's graph is built.
const maxSources = 128 << 20

// reading waits until a graph may be built. Only one index or graph is built at a time, and tenants take turns. text is
// the size of the source files in bytes. The error is TooLarge if text is more than maxSources.
func (s *service) reading(ctx context.Context, text int64) (end func(), err error) {
	if text > maxSources {
		return nil, store.Hint(store.Errorf(store.TooLarge,
			"these files have %d bytes together, and at most %d are read here", text, maxSources), facts.Excluding)
	}
	return s.index.Enter(ctx, httpserver.Tenant(ctx))
}

// shows reports whether a caller's list of tools has a toolset by default. The list has the toolset of the graph only
// if the caller may read a repository with a graph. It always has all other toolsets.
func (s *service) shows(ctx context.Context, toolset string) bool {
	if toolset != "graph" {
		return true
	}
	found, err := s.places.store.Snapshots(ctx, auth.From(ctx).Read,
		store.SnapshotFilter{Kind: store.FactGraph, Limit: 1})
	return err == nil && len(found) > 0
}
