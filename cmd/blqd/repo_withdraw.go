package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/store"
)

func newRepoWithdraw(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "withdraw OWNER/NAME",
		Short: "End the enrolment of a repository, but keep its runs",
		Args:  one("repository", "blqd repo list"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.withDirectory(c, func(ctx context.Context, d store.Directory) error { return a.withdraw(ctx, d, args[0]) })
		},
	}
}

func (a *app) withdraw(ctx context.Context, d store.Enrolment, name string) error {
	repos, err := d.EnrolledRepos(ctx)
	if err != nil {
		return err
	}
	for _, r := range repos {
		if r.Name != name {
			continue
		}
		if err := d.WithdrawRepo(ctx, r.Host, r.ID); err != nil {
			return err
		}
		_, err := fmt.Fprintf(a.stdout, "%s is no longer enrolled\n", name)
		return err
	}
	return store.Next(store.Errorf(store.NotFound, "%s is not enrolled", name), store.Shell{Line: "blqd repo list"})
}
