//go:build !job

package main

import (
	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/query/questions"
)

// addToolsets adds the commands of the toolsets to groups of commands. In blq-job, most of these commands only
// print which program has the real command.
func (a *app) addToolsets(add func(group string, commands ...*cobra.Command)) {
	add("record", newGraph(a))
	add("ask", newDocs(a), newUI(a), newExport(a))
}

// askRealm returns the commands that ask about a realm.
func (a *app) askRealm() []*cobra.Command {
	return append(realmWork(a), newShown(a, questions.RealmStatus, a.realmStatus),
		newShown(a, questions.ContractGet, a.contract), newShown(a, questions.Notifications, a.notifications))
}

func atFlag(c *cobra.Command, at *string) {
	c.Flags().StringVar(at, "at", "", "as it was at this `COMMIT`: a branch, tag, hash, PR#12 or run")
}
