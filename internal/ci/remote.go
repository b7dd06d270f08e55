package ci

import (
	"bufio"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/blq-ci/blq/internal/regularfile"
)

// Remote returns the owner/name of the repository from the URL of its remote origin. It returns "" if the URL has no
// such name.
func Remote(dir string) string {
	r, ok := findRepo(dir)
	if !ok {
		return ""
	}
	f, err := regularfile.Open(filepath.Join(r.common, "config"))
	if err != nil {
		return ""
	}
	defer f.Close()
	section := ""
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "[") {
			section = line
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		if section == `[remote "origin"]` && strings.TrimSpace(key) == "url" {
			return repoName(strings.Trim(strings.TrimSpace(value), `"`))
		}
	}
	return ""
}

// repoName returns the path in a remote's URL. The path is owner/name, or longer for nested groups. The result is ""
// for a repository on this machine.
func repoName(remote string) string {
	path := ""
	if strings.Contains(remote, "://") {
		u, err := url.Parse(remote)
		if err != nil || u.Scheme == "file" {
			return ""
		}
		path = u.Path
	} else if host, p, ok := strings.Cut(remote, ":"); ok && len(host) > 1 && !strings.ContainsAny(host, `/\`) {
		path = p // git@host:owner/name; a single letter before the colon is a drive
	}
	path = strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	path = strings.Replace(path, "/_git/", "/", 1) // Azure: organization/project/_git/name
	if !strings.Contains(path, "/") {
		return ""
	}
	return path
}
