package query

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/blq-ci/blq/facts/docs"
)

// GitHubLink returns the URL of lines of a file at a commit. server is the GitHub server; "" means github.com. Without
// a path, GitHubLink returns the URL of the commit's files. Without a commit, it returns the URL of the repository.
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
	// Without plain=1 GitHub renders the document, and rendered lines have no numbers.
	return fmt.Sprintf("%s/%s/blob/%s/%s?plain=1#L%d-L%d", strings.TrimSuffix(server, "/"), repo, commit,
		strings.Join(parts, "/"), r.From, r.To)
}
