package main

import (
	"net/http"
	"strings"
)

// routeStream is the route of streams, whose answers last until the client disconnects.
const routeStream = "/sse"

// isAPI reports whether a path belongs to the ingest API. This API applies its own httpserver.Watch, with other
// timeouts.
func isAPI(path string) bool {
	return path == "/v1" || strings.HasPrefix(path, "/v1/") || strings.HasPrefix(path, "/webhooks/")
}

// routeOf returns the name of a request's route, for metrics. The names come from a fixed list, so that clients cannot
// create new metrics with many paths.
func routeOf(r *http.Request) string {
	path := strings.TrimRight(r.URL.Path, "/")
	switch path {
	case "/healthz", "/readyz", "/metrics", "/mcp", routeStream, "/message":
		return path
	}
	if strings.HasPrefix(path, "/.well-known/oauth-protected-resource") {
		return "/.well-known/oauth-protected-resource"
	}
	if path == "/ui" || strings.HasPrefix(path, "/ui/") {
		return "/ui"
	}
	return "other"
}

// probes holds the routes that monitoring requests every few seconds.
var probes = []string{"/healthz", "/readyz", "/metrics"}
