package mcp

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/blq-ci/blq/store"
)

// callTimeout bounds every call. It is longer than run waits for a command.
const callTimeout = 90 * time.Second

// guards wrap every call of a tool, read of a resource and get of a prompt. They end it in time, and turn a panic
// into an answer and a log line.
func (s *Server) guards() []server.ServerOption {
	return []server.ServerOption{
		server.WithToolHandlerMiddleware(func(next server.ToolHandlerFunc) server.ToolHandlerFunc {
			return func(ctx context.Context, r sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				result, err := guarded(ctx, func(ctx context.Context) (*sdk.CallToolResult, error) {
					result, err := next(ctx, r)
					if result != nil && result.IsError && errors.Is(ctx.Err(), context.DeadlineExceeded) {
						return nil, ctx.Err()
					}
					return result, err
				})
				if err != nil {
					result = s.refusal(ctx, tool{spec: spec{name: r.Params.Name}}, err)
				}
				return result, nil
			}
		}),
		server.WithResourceHandlerMiddleware(func(next server.ResourceHandlerFunc) server.ResourceHandlerFunc {
			return func(ctx context.Context, r sdk.ReadResourceRequest) ([]sdk.ResourceContents, error) {
				contents, err := guarded(ctx, func(ctx context.Context) ([]sdk.ResourceContents, error) { return next(ctx, r) })
				if err != nil {
					return nil, s.protocolError(ctx, "resource", r.Params.URI, err)
				}
				return contents, nil
			}
		}),
		server.WithPromptHandlerMiddleware(func(next server.PromptHandlerFunc) server.PromptHandlerFunc {
			return func(ctx context.Context, r sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
				result, err := guarded(ctx, func(ctx context.Context) (*sdk.GetPromptResult, error) { return next(ctx, r) })
				if err != nil {
					return nil, s.protocolError(ctx, "prompt "+r.Params.Name, "", err)
				}
				return result, nil
			}
		}),
	}
}

// guarded calls f with a deadline. Unavailable: it took too long.
func guarded[T any](ctx context.Context, f func(context.Context) (T, error)) (out T, err error) {
	bounded, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	defer func() {
		if failure := recover(); failure != nil {
			err = fmt.Errorf("panic: %v\n%s", failure, debug.Stack())
		} else if errors.Is(bounded.Err(), context.DeadlineExceeded) && err != nil {
			err = store.Errorf(store.Unavailable, "this took longer than %v: ask for less, such as one run or a smaller limit", callTimeout)
		}
	}()
	return f(bounded)
}
