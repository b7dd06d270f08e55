package mcp

import (
	"context"
	"fmt"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/blq-ci/blq/query/questions"
)

// listOffered handles requests for the list of tools. It lists only the tools that the caller may use, the most useful
// tools first. The protocol's library would sort the tools by name.
func (s *Server) listOffered(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		result, err := next(ctx, method, r)
		if list, ok := result.(*sdk.ListToolsResult); ok && err == nil {
			hidden := s.hidden(ctx)
			list.Tools = slices.DeleteFunc(
				list.Tools, func(t *sdk.Tool) bool { return hidden(s.tools[s.place(t.Name)]) })
			slices.SortFunc(list.Tools, func(a, b *sdk.Tool) int { return s.place(a.Name) - s.place(b.Name) })
		}
		return result, err
	}
}

// hidden returns a function that reports whether the caller's list leaves out a tool. There are two reasons: the caller
// may not use the tool, or the project has no data for the tool's toolset.
func (s *Server) hidden(ctx context.Context) func(tool) bool {
	useless := map[string]bool{}
	if s.config.Shows != nil && !s.chosen {
		for _, set := range s.config.Also {
			useless[set] = !s.config.Shows(ctx, set)
		}
	}
	return func(t tool) bool { return useless[t.row.Toolset] || s.allow(ctx, t) != nil }
}

// place returns the position of a tool in the list of tools.
func (s *Server) place(name string) int {
	return slices.IndexFunc(s.tools, func(t tool) bool { return t.name == name })
}

func (s *Server) whyDisabled(t tool) string {
	switch s.verdict(t) {
	case questions.Impossible:
		if t.row.Posts {
			return fmt.Sprintf("Tool '%s' is disabled: this server has no GitHub App that writes to pull requests.", t.name)
		}
		if s.config.Commands != nil {
			return fmt.Sprintf("Tool '%s' is disabled: this server starts only what its operator has configured: see commands.",
				t.name)
		}
		return fmt.Sprintf("Tool '%s' is disabled: this server runs no commands.", t.name)
	case questions.Disabled:
		return fmt.Sprintf("Tool '%s' is disabled. Enable it by removing from mcp.disabled_tools in .lq/config.toml or "+
			"BLQ_MCP_DISABLED_TOOLS environment variable.", t.name)
	case questions.Unsafe:
		return fmt.Sprintf("Tool '%s' is disabled. Enable it by starting blq mcp serve without --safe-mode.", t.name)
	}
	return fmt.Sprintf("Tool '%s' is disabled. Enable it by adding %s to --toolsets of blq mcp serve.", t.name,
		t.row.Toolset)
}
