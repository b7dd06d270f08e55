package mcp

import (
	"context"
	"fmt"
	"slices"
	"sort"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/blq-ci/blq/store"
)

// refuseDisabled has calls of tools that exist, but are not offered, answered
// with the reason. They are in no list.
func (s *Server) refuseDisabled(hooks *server.Hooks) {
	var hidden []string
	for _, t := range allTools(s.config) {
		if s.offers(t) {
			continue
		}
		hidden = append(hidden, t.name)
		s.sdk.AddTool(t.def, func(ctx context.Context, _ sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			text, err := marshal(problem{Error: s.whyDisabled(t), Code: store.Forbidden})
			return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{sdk.NewTextContent(string(text))}}, err
		})
	}
	hooks.AddAfterListTools(func(ctx context.Context, _ any, _ *sdk.ListToolsRequest, list *sdk.ListToolsResult) {
		list.Tools = slices.DeleteFunc(list.Tools, func(t sdk.Tool) bool {
			return slices.Contains(hidden, t.Name) || s.allow(ctx, t.Name) != nil
		})
		// The library sorts by name; ours is the order in which they are useful.
		sort.Slice(list.Tools, func(i, j int) bool { return s.place(list.Tools[i].Name) < s.place(list.Tools[j].Name) })
	})
}

// place returns where a tool stands in the list.
func (s *Server) place(name string) int {
	return slices.IndexFunc(s.tools, func(t tool) bool { return t.name == name })
}

func (s *Server) whyDisabled(t tool) string {
	switch {
	case !s.possible(t) && s.config.Commands != nil:
		return fmt.Sprintf("Tool '%s' is disabled: this server starts only what its operator has configured: see commands.", t.name)
	case !s.possible(t):
		return fmt.Sprintf("Tool '%s' is disabled: this server runs no commands.", t.name)
	case slices.Contains(s.config.Disabled, t.name):
		return fmt.Sprintf("Tool '%s' is disabled. Enable it by removing from mcp.disabled_tools in .lq/config.toml or BLQ_MCP_DISABLED_TOOLS environment variable.", t.name)
	case t.unsafe && s.config.SafeMode:
		return fmt.Sprintf("Tool '%s' is disabled. Enable it by starting blq mcp serve without --safe-mode.", t.name)
	}
	return fmt.Sprintf("Tool '%s' is disabled. Enable it by adding %s to --toolsets of blq mcp serve.", t.name, t.toolset)
}
