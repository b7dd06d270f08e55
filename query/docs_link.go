package query

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/blq-ci/blq/facts/docs"
)

// GitHubLink returns the address of lines of a file at a commit, at a server of GitHub, "" for github.com. Without a
// path it returns the address of the repository.
func GitHubLink(server, repo, commit, path string, r docs.Range) string {
	if server == "" {
		server = "https://github.com"
	}
	address := strings.TrimSuffix(server, "/") + "/" + repo
	if commit != "" {
		address += "/tree/" + commit
	}
	if path == "" || commit == "" {
		return address
	}
	parts := strings.Split(path, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	// Without plain=1 GitHub shows the document as a page, whose lines have no numbers.
	return fmt.Sprintf("%s/%s/blob/%s/%s?plain=1#L%d-L%d", strings.TrimSuffix(server, "/"), repo, commit,
		strings.Join(parts, "/"), r.From, r.To)
}
