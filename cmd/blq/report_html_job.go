//go:build job

package main

import (
	"context"

	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/store"
)

// reportPage says where pages are written: the program for jobs has none.
func (a *app) reportPage(context.Context, markdown.Params, string) error {
	return store.Hint(store.Errorf(store.Unavailable, "this blq is the one for jobs, which writes no pages; "+
		"action/setup installs the other"), "with: { mcp: true }")
}
