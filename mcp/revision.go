package mcp

import (
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// asBefore removes cache hints from results for clients of earlier revisions of the protocol. These revisions have no
// cache hints, but the protocol's library writes them for all clients.
func (s *Server) asBefore(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		result, err := next(ctx, method, r)
		if _, hints := result.(sdk.CacheableResult); hints && err == nil && !isModern(r) {
			return uncached{result}, nil
		}
		return result, err
	}
}

// uncached is a result that writes no cache hints.
type uncached struct{ sdk.Result }

// MarshalJSON implements json.Marshaler.
func (u uncached) MarshalJSON() ([]byte, error) {
	text, err := marshal(u.Result)
	if err != nil {
		return nil, err
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(text, &keys); err != nil {
		return nil, err
	}
	delete(keys, "ttlMs")
	delete(keys, "cacheScope")
	return marshal(keys)
}
