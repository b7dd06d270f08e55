package mcp

import "time"

// cacheFor is how long lists and definitions may be kept by a client.
const cacheFor = 5 * time.Minute

func (s *Server) instructions() string {
	return "blq turns CI output into rows. Start with triage: it says what failed, what is new and what to call next."
}
