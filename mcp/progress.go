package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/blq-ci/blq/internal/runner"
)

// wantsProgress reports whether the client has sent a progress token.
func wantsProgress(r *sdk.CallToolRequest) bool { return r.Params.GetProgressToken() != nil }

// withProgress returns a context in which runner.Tell reports progress to the client. If the client has sent no
// progress token, it returns ctx.
func withProgress(ctx context.Context, r *sdk.CallToolRequest) context.Context {
	if !wantsProgress(r) {
		return ctx
	}
	token := r.Params.GetProgressToken()
	return runner.WithProgress(ctx, func(done float64, message string) {
		// If this fails, the client has disconnected.
		_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
			ProgressToken: token, Progress: done, Message: message,
		})
	})
}
