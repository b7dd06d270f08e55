package githubapp

import (
	"encoding/json"
	"html/template"
	"io"
	"net/url"
	"strings"
)

// Manifest describes an app that GitHub will create.
type Manifest struct {
	Name     string // "" if the operator chooses the name
	Service  string // URL of the service
	Redirect string // address to which the operator's browser goes afterwards
}

// JSON returns the manifest in GitHub's form. Only the account that owns the app can install it.
func (m Manifest) JSON() (string, error) {
	service := strings.TrimRight(m.Service, "/")
	text, err := json.Marshal(map[string]any{
		"name": m.Name, "url": service, "redirect_url": m.Redirect, "public": false,
		"callback_urls":   []string{service + "/ui/signed-in"},
		"hook_attributes": map[string]any{"url": service + "/webhooks/github", "active": true},
		"default_permissions": map[string]string{"actions": "read", "checks": "write", "contents": "read",
			"metadata": "read", "pull_requests": "write"},
		"default_events": []string{"workflow_job", "workflow_run", "repository"},
	})
	return string(text), err
}

// NewURL returns the URL of GitHub's page that receives manifests. If organization is "", the page is that of the
// operator's own account.
func NewURL(host, organization, state string) string {
	path := "/settings/apps/new"
	if organization != "" {
		path = "/organizations/" + url.PathEscape(organization) + path
	}
	return "https://" + host + path + "?state=" + url.QueryEscape(state)
}

var page = template.Must(template.New("").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>blqd app create</title>
<form action="{{.To}}" method="post"><input type="hidden" name="manifest" value="{{.Manifest}}">
<p>GitHub asks you to confirm the app of this service.</p><button>Go to GitHub</button></form></html>
`))

// WritePage writes a page that makes the browser submit a manifest to GitHub.
func WritePage(w io.Writer, to, manifest string) error {
	return page.Execute(w, map[string]string{"To": to, "Manifest": manifest})
}
