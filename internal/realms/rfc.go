package realms

import (
	"slices"

	"github.com/blq-ci/blq/facts/realm"
)

// BranchesFor returns the names that a branch for an RFC may have, the preferred one first. The template is from the
// member's configuration.
func BranchesFor(template, rfc string) []string {
	return slices.Compact([]string{rfc, realm.BranchOf(template, rfc)})
}
