package query

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// NodeRefs holds names of nodes. In JSON it is one name or a list.
type NodeRefs []string

// splitNode returns the repository and the name of a node. @repo:ref is a node in another repository. For a node
// without a repository, repo is "".
func splitNode(ref string) (repo, name string) {
	rest, other := strings.CutPrefix(ref, "@")
	if repo, name, found := strings.Cut(rest, ":"); other && found {
		return repo, name
	}
	return "", ref
}

// neighbour returns the full name of another repository, owner/name. A name without an owner means a repository of the
// same owner as the repository in the question. NotFound: the caller may not see the repository, or the asker has the
// facts of only one local repository.
func (a *Asker) neighbour(at DocsAt, name string) (string, error) {
	full := name
	if !strings.Contains(name, "/") {
		owner, _, _ := strings.Cut(at.Repo, "/")
		if names := a.Scope.Names(); at.Repo == "" && !a.Scope.All() && len(names) == 1 {
			owner, _, _ = strings.Cut(names[0], "/")
		}
		full = owner + "/" + name
	}
	if a.Docs == nil || a.Docs.Local || !a.Scope.Has(full) {
		return "", store.Hint(store.Errorf(store.NotFound, "there is no repository %.100s here", name),
			"ask a server that has its facts")
	}
	return full, nil
}
