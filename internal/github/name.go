package github

import (
	"net/url"
	"strings"
	"unicode"

	"github.com/blq-ci/blq/internal/lazyregexp"
	"github.com/blq-ci/blq/store"
)

var (
	repoName     = lazyregexp.New(`^[0-9A-Za-z_.-]{1,100}/[0-9A-Za-z_.-]{1,100}$`)
	workflowFile = lazyregexp.New(`^[0-9A-Za-z_.-]+\.ya?ml$`)
)

// split returns the owner and the name of a repository. Both become parts of URLs. Errors:
// not_found for a name that no repository can have.
func split(repo string) (owner, name string, err error) {
	owner, name, _ = strings.Cut(repo, "/")
	if !repoName.MatchString(repo) || strings.Trim(owner, ".") == "" || strings.Trim(name, ".") == "" {
		return "", "", store.Errorf(store.NotFound, "%q cannot be a repository on GitHub", clip(repo))
	}
	return owner, name, nil
}

// pathOf returns the path of a repository in the API. It returns the same errors as split.
func pathOf(repo string) (string, error) {
	owner, name, err := split(repo)
	return "repos/" + url.PathEscape(owner) + "/" + url.PathEscape(name), err
}

// CheckRef checks the name of a branch, tag or commit. Errors: invalid for a name that breaks one of the most important
// rules of git, or that is longer than 255 bytes.
func CheckRef(ref string) error {
	bad := ref == "" || len(ref) > 255 || strings.ContainsAny(ref, ` ~^:?*[\`) ||
		strings.ContainsFunc(ref, unicode.IsControl) ||
		strings.Contains(ref, "..") || strings.Contains(ref, "//") || strings.Contains(ref, "@{") ||
		strings.HasPrefix(ref, "/") || strings.HasPrefix(ref, "-") || strings.HasSuffix(ref, "/") ||
		strings.HasSuffix(ref, ".") || strings.HasSuffix(ref, ".lock")
	if bad {
		return store.Errorf(store.Invalid, "%q is not a branch, tag or commit", clip(ref))
	}
	return nil
}

// CheckWorkflow checks the name of a workflow's file. The error is invalid if no workflow can have this name.
func CheckWorkflow(file string) error {
	if !workflowFile.MatchString(file) {
		return store.Errorf(store.Invalid, "%q is not a file of .github/workflows, such as ci.yml", clip(file))
	}
	return nil
}

func clip(s string) string {
	if r := []rune(s); len(r) > 100 {
		return string(r[:100]) + "…"
	}
	return s
}
