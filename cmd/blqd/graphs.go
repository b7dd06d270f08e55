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

// reading is the gate for building graphs. The source files of only one repository are read at a time, and tenants take
// turns. TooLarge: the repository has more than maxSources bytes of source files.
func (s *service) reading(ctx context.Context, text int64) (end func(), err error) {
	if text > maxSources {
		return nil, store.Hint(store.Errorf(store.TooLarge,
			"the source files have %d bytes together, and at most %d are read here", text, maxSources), facts.Excluding)
	}
	return s.index.Enter(ctx, httpserver.Tenant(ctx))
}

// shows reports whether the caller sees a toolset without asking for it. The caller sees the toolset of the graph only
// if a repository that they may read has a graph, and always sees the other toolsets.
func (s *service) shows(ctx context.Context, toolset string) bool {
	if toolset != "graph" {
		return true
	}
	found, err := s.places.store.Snapshots(ctx, auth.From(ctx).Read,
		store.SnapshotFilter{Kind: store.FactGraph, Limit: 1})
	return err == nil && len(found) > 0
}
