package main

import (
	"net/http"
	"strings"
)

// routeStream is the route whose answers have no end.
const routeStream = "/sse"

// isAPI reports whether a path belongs to the ingest API, which watches itself.
func isAPI(path string) bool {
	return path == "/v1" || strings.HasPrefix(path, "/v1/") || strings.HasPrefix(path, "/webhooks/")
}

// routeOf returns the name of a request's route for metrics. There are as many names as routes, however many paths
// clients ask for.
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

// probes are the routes that probes ask every few seconds.
var probes = []string{"/healthz", "/readyz", "/metrics"}
