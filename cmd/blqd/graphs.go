package main

import (
	"context"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// maxGraphs is the max number of bytes of graphs that stay in memory, of all repositories.
const maxGraphs = 128 << 20

// maxSources is the max number of bytes of the source files of a repository that a graph is made of.
const maxSources = 128 << 20

// reading is the gate of graphs: the source files of one repository are read at a time, and tenants take turns.
// TooLarge: a repository has more than maxSources bytes of them.
func (s *service) reading(ctx context.Context, text int64) (end func(), err error) {
	if text > maxSources {
		return nil, store.Hint(store.Errorf(store.TooLarge,
			"the source files have %d bytes together, and at most %d are read here", text, maxSources), facts.Excluding)
	}
	return s.index.Enter(ctx, httpserver.Tenant(ctx))
}

// shows reports whether the caller sees a toolset that was not asked for: the toolset of the architecture, if one of
// the repositories has a graph.
func (s *service) shows(ctx context.Context, toolset string) bool {
	if toolset != "graph" {
		return true
	}
	found, err := s.places.store.Snapshots(ctx, auth.From(ctx).Read,
		store.SnapshotFilter{Kind: store.FactGraph, Limit: 1})
	return err == nil && len(found) > 0
}
