package auth

import (
	"net/http"
	"slices"
	"strings"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// PathMetadata is the path of the metadata of RFC 9728. The path of a resource follows it.
const PathMetadata = "/.well-known/oauth-protected-resource"

// resources are the paths to which MCP clients connect.
var resources = []string{"/mcp", "/sse", "/message"}

func (a *Authenticator) isResource(path string) bool { return slices.Contains(resources, path) }

// Metadata serves the OAuth metadata of a resource. The metadata says where clients get a token.
func (a *Authenticator) Metadata(w http.ResponseWriter, r *http.Request) error {
	path := strings.TrimRight(strings.TrimPrefix(r.URL.Path, PathMetadata), "/")
	if path != "" && !a.isResource(path) {
		return store.Errorf(store.NotFound, "nothing is served at this path")
	}
	scopes := a.OAuthScopes
	if scopes == nil {
		for _, s := range store.TokenScopes {
			scopes = append(scopes, string(s))
		}
	}
	w.Header().Set("Cache-Control", "max-age=3600")
	w.Header().Set("Access-Control-Allow-Origin", "*") // every page may read the metadata, because it has no secrets
	httpserver.WriteJSON(w, http.StatusOK, struct {
		Resource      string   `json:"resource"`
		Name          string   `json:"resource_name"`
		Servers       []string `json:"authorization_servers,omitempty"`
		Scopes        []string `json:"scopes_supported"`
		Bearer        []string `json:"bearer_methods_supported"`
		Documentation string   `json:"resource_documentation"`
	}{a.url(r) + path, "blq", a.AuthorizationServers, scopes, []string{"header"}, "https://github.com/blq-ci/blq"})
	return nil
}

func (a *Authenticator) metadataURL(r *http.Request) string {
	path := strings.TrimRight(r.URL.Path, "/")
	if !a.isResource(path) {
		path = ""
	}
	return a.url(r) + PathMetadata + path
}

// url returns the service's address for clients, without a slash at the end.
func (a *Authenticator) url(r *http.Request) string {
	if a.URL != "" {
		return a.URL
	}
	scheme := "http://"
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https://"
	}
	return scheme + r.Host
}
