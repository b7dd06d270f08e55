package auth

import (
	"net/http"
	"slices"
	"strings"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// pathMetadata is the path of RFC 9728's metadata. The path of a resource follows it.
const pathMetadata = "/.well-known/oauth-protected-resource"

// resources are the paths that MCP clients connect to.
var resources = []string{"/mcp", "/sse", "/message"}

func (a *Authenticator) isResource(path string) bool { return slices.Contains(resources, path) }

// metadata says where a client gets a token for a resource.
func (a *Authenticator) metadata(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimRight(strings.TrimPrefix(r.URL.Path, pathMetadata), "/")
	if path != "" && !a.isResource(path) {
		a.refuse(w, r, "", store.Errorf(store.NotFound, "nothing is served at this path"))
		return
	}
	scopes := a.OAuthScopes
	if scopes == nil {
		for _, s := range store.TokenScopes {
			scopes = append(scopes, string(s))
		}
	}
	w.Header().Set("Cache-Control", "max-age=3600")
	w.Header().Set("Access-Control-Allow-Origin", "*") // it holds no secrets
	httpserver.WriteJSON(w, http.StatusOK, struct {
		Resource      string   `json:"resource"`
		Name          string   `json:"resource_name"`
		Servers       []string `json:"authorization_servers,omitempty"`
		Scopes        []string `json:"scopes_supported"`
		Bearer        []string `json:"bearer_methods_supported"`
		Documentation string   `json:"resource_documentation"`
	}{a.url(r) + path, "blq", a.AuthorizationServers, scopes, []string{"header"}, "https://github.com/blq-ci/blq"})
}

func (a *Authenticator) metadataURL(r *http.Request) string {
	path := strings.TrimRight(r.URL.Path, "/")
	if !a.isResource(path) {
		path = ""
	}
	return a.url(r) + pathMetadata + path
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
