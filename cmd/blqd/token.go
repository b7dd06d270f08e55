package main

import (
	"github.com/spf13/cobra"
)

func newToken(a *app) *cobra.Command {
	return group("token", "Make, list and revoke tokens", newTokenCreate(a), newTokenList(a), newTokenRevoke(a))
}
