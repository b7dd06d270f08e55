// Package source gets documentation from outside of a repository. It fetches texts under a policy, knows the
// documentation addresses of some projects, and reads the dependencies of a project. The package may import store
// only.
package source

import (
	"slices"
	"strings"

	"github.com/blq-ci/blq/store"
)

// reserved are the aliases that sources must not have, because these aliases stand for facts of a repository.
var reserved = []string{"docs", "code", "logs"}

// maxAlias is the max length of an alias.
const maxAlias = 64

// CheckAlias checks the alias of a source: lower-case letters, digits and hyphens after a letter. The error is
// Malformed for other texts, and Invalid for a reserved alias.
func CheckAlias(alias string) error {
	if !IsAlias(alias) {
		return store.Hint(store.Errorf(store.Malformed, "%.80q is not an alias of a source", alias),
			"an alias has up to %d lower-case letters, digits and hyphens, and begins with a letter", maxAlias)
	}
	if slices.Contains(reserved, alias) {
		return store.Hint(store.Errorf(store.Invalid, "the alias %s is reserved", alias),
			"%s stand for facts of the repository; choose another alias", strings.Join(reserved, ", "))
	}
	return nil
}

// IsAlias reports whether a text has the form of an alias. Reserved aliases have this form, too.
func IsAlias(s string) bool {
	if s == "" || len(s) > maxAlias || s[0] < 'a' || s[0] > 'z' {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}
