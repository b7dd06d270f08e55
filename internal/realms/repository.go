package realms

import (
	"net/url"
	"strings"

	"github.com/blq-ci/blq/facts/realm"
	"github.com/blq-ci/blq/store"
)

// repository returns the owner/name of the repository at an address, such as https://HOST/OWNER/NAME.git or
// git@HOST:OWNER/NAME. It returns "" if the address names no repository.
func repository(address string) string {
	path := address
	if u, err := url.Parse(address); err == nil && u.Scheme != "" && u.Host != "" {
		path = u.Path
	} else if _, after, found := strings.Cut(address, ":"); found {
		path = after
	}
	path = strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	parts := strings.Split(path, "/")
	if len(parts) < 2 {
		return ""
	}
	name := strings.Join(parts[len(parts)-2:], "/")
	if !store.IsRepoName(name) {
		return ""
	}
	return name
}

// place returns the repository of a member. If the URL of the member names no repository, the repository is in the
// account m.Org. If m.Org is "", it is in the account of the realm's repository.
func place(m realm.Repo, realmRepo string) string {
	if name := repository(m.URL); name != "" {
		return name
	}
	owner, _, _ := strings.Cut(realmRepo, "/")
	if m.Org != "" {
		owner = m.Org
	}
	return owner + "/" + m.Name
}
