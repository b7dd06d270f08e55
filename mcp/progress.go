package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Progress is the progress of a call. Done must increase from one to the next.
type Progress struct {
	Done, Total float64 // Total is 0 if it is unknown
	Message     string
}

type progressKey struct{}

// withProgress returns a context for TellProgress, if the client has sent a progress token.
func withProgress(ctx context.Context, r *sdk.CallToolRequest) context.Context {
	token := r.Params.GetProgressToken()
	if token == nil {
		return ctx
	}
	return context.WithValue(ctx, progressKey{}, func(p Progress) {
		// An error means that the client is gone.
		_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
			ProgressToken: token, Progress: p.Done, Total: p.Total, Message: p.Message,
		})
	})
}

// TellProgress sends the progress of the call that ctx belongs to. It does nothing if the client has not asked for
// progress, or if ctx belongs to no call. Do not use it after the call has returned.
func TellProgress(ctx context.Context, p Progress) {
	if tell, ok := ctx.Value(progressKey{}).(func(Progress)); ok {
		tell(p)
	}
}
