package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/store"
)

func newTokenRevoke(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "revoke ID",
		Short:   "Revoke a token at once and for ever",
		Example: "  blqd token revoke abcd2345",
		Args:    one("ID", "blqd token list   # shows the IDs"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.withDirectory(c, func(ctx context.Context, d store.Directory) error {
				if err := d.RevokeToken(ctx, args[0], time.Now()); err != nil {
					return store.Next(err, store.Shell{Line: "blqd token list", Why: "shows the IDs"})
				}
				_, err := fmt.Fprintf(a.stdout, "token %s is revoked\n", args[0])
				return err
			})
		},
	}
}
