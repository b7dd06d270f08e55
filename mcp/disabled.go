package mcp

import (
	"context"
	"fmt"
	"slices"
	"sort"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// refuseDisabled answers calls of tools that exist but are not offered with the reason. No list has these tools.
func (s *Server) refuseDisabled(hooks *server.Hooks) {
	for _, t := range allTools(s.config) {
		if s.offers(t) {
			continue
		}
		s.sdk.AddTool(sdk.Tool{Name: t.name, Description: t.description, RawInputSchema: inputSchema(t.in, s.config.Hosted)}, func(ctx context.Context, _ sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			text, err := marshal(problem{Error: s.whyDisabled(t), Code: store.Forbidden})
			return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{sdk.NewTextContent(string(text))}}, err
		})
	}
	hooks.AddAfterListTools(func(ctx context.Context, _ any, _ *sdk.ListToolsRequest, list *sdk.ListToolsResult) {
		list.Tools = slices.DeleteFunc(list.Tools, func(t sdk.Tool) bool {
			i := s.place(t.Name)
			return i < 0 || s.allow(ctx, s.tools[i]) != nil
		})
		// The library sorts by name. We sort by usefulness.
		sort.Slice(list.Tools, func(i, j int) bool { return s.place(list.Tools[i].Name) < s.place(list.Tools[j].Name) })
	})
}

// place returns the position of a tool in the list.
func (s *Server) place(name string) int {
	return slices.IndexFunc(s.tools, func(t tool) bool { return t.name == name })
}

func (s *Server) whyDisabled(t tool) string {
	switch s.verdict(t) {
	case questions.Impossible:
		if s.config.Commands != nil {
			return fmt.Sprintf("Tool '%s' is disabled: this server starts only what its operator has configured: see commands.", t.name)
		}
		return fmt.Sprintf("Tool '%s' is disabled: this server runs no commands.", t.name)
	case questions.Disabled:
		return fmt.Sprintf("Tool '%s' is disabled. Enable it by removing from mcp.disabled_tools in .lq/config.toml or BLQ_MCP_DISABLED_TOOLS environment variable.", t.name)
	case questions.Unsafe:
		return fmt.Sprintf("Tool '%s' is disabled. Enable it by starting blq mcp serve without --safe-mode.", t.name)
	}
	return fmt.Sprintf("Tool '%s' is disabled. Enable it by adding %s to --toolsets of blq mcp serve.", t.name, t.row.Toolset)
}
