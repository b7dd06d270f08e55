package realms

import (
	"slices"

	"github.com/blq-ci/blq/facts/realm"
)

// BranchesFor returns the possible names of a branch for an RFC. The first name that exists is the branch. If none
// exists, a new branch gets the last name. The template comes from the member's configuration.
func BranchesFor(template, rfc string) []string {
	return slices.Compact([]string{rfc, realm.BranchOf(template, rfc)})
}
