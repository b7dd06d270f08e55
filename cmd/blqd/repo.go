package main

import (
	"github.com/spf13/cobra"
)

func newRepo(a *app) *cobra.Command {
	return group("repo", "Enrol, list and withdraw repositories", newRepoEnrol(a), newRepoList(a), newRepoWithdraw(a))
}
