package export

import (
	"net/url"
	"path"
	"strings"

	"github.com/blq-ci/blq/internal/lazyregexp"
	"github.com/blq-ci/blq/store"
)

// A URL from the facts of a run is used only if it matches one of these patterns. A job of a fork may set these facts,
// so other URLs are not trusted.
var (
	forge  = lazyregexp.New(`^https?://[A-Za-z0-9.-]+(?::[0-9]+)?$`)
	jobURL = lazyregexp.New(`^https?://[A-Za-z0-9.-]+(?::[0-9]+)?/[A-Za-z0-9_./-]+$`)
)

// repository returns the URL of the run's repository, or "" if it is unknown.
func (d *document) repository() string {
	c := d.run.CI
	if c == nil || !store.IsRepoName(c.Repo) {
		return ""
	}
	host, _, found := strings.Cut(c.URL, "/"+c.Repo+"/")
	if !found || !forge.MatchString(host) {
		return ""
	}
	return host + "/" + c.Repo
}

// job returns the URL of the run's job, or "" if there is no URL that matches jobURL.
func (d *document) job() string {
	if c := d.run.CI; c != nil && jobURL.MatchString(c.URL) {
		return c.URL
	}
	return ""
}

// uri returns the URI of a file, and reports whether the URI is relative to the repository.
func uri(file string) (string, bool) {
	if windows := len(file) > 2 && file[1] == ':' && file[2] == '/'; windows || path.IsAbs(file) {
		return (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(file, "/")}).String(), false
	}
	first, rest, _ := strings.Cut((&url.URL{Path: file}).EscapedPath(), "/")
	first = strings.ReplaceAll(first, ":", "%3A") // otherwise the text before the colon is a scheme
	if strings.Contains(file, "/") {
		return first + "/" + rest, true
	}
	return first, true
}
