package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

func newMigrate(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "migrate",
		Short: "Bring the database up to date",
		Long: `Brings the database to the schema of this program, and does nothing when it has
it. Several may run at once. Older replicas go on serving meanwhile. blqd serve
does the same at its start, unless --migrate=false.`,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.withStore(c, func(ctx context.Context, s engine) error {
				if m, ok := s.(migrator); ok {
					if err := m.Migrate(ctx); err != nil {
						return err
					}
				}
				_, err := fmt.Fprintf(a.stdout, "%s is up to date\n", a.config.databaseName())
				return err
			})
		},
	}
}
