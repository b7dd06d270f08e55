package main

import (
	"cmp"
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/store"
)

func newRepoList(a *app) *cobra.Command {
	return a.newList("List enrolled repositories", func(ctx context.Context, d store.Directory, asJSON bool) error {
		repos, err := d.EnrolledRepos(ctx)
		if err != nil {
			return err
		}
		return a.listRepos(repos, asJSON)
	})
}

// newList returns a command that lists entries of the directory.
func (a *app) newList(
	short string, list func(ctx context.Context, d store.Directory, asJSON bool) error) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: short,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.withDirectory(c, func(ctx context.Context, d store.Directory) error { return list(ctx, d, asJSON) })
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

// repoLine is a repository in a list.
type repoLine struct {
	Name          string    `json:"name"`
	Host          string    `json:"host"`
	ID            int64     `json:"id"`
	DefaultBranch string    `json:"default_branch,omitempty"`
	Public        bool      `json:"public"`
	EnrolledAt    time.Time `json:"enrolled_at"`
}

func (a *app) listRepos(repos []store.EnrolledRepo, asJSON bool) error {
	lines := []repoLine{}
	for _, r := range repos {
		lines = append(lines, repoLine{r.Name, r.Host, r.ID, r.DefaultBranch, r.Public, r.EnrolledAt.UTC()})
	}
	if asJSON {
		return a.json(lines)
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tHOST\tID\tDEFAULT BRANCH\tPUBLIC\tENROLLED")
	for _, r := range lines {
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%v\t%s\n", r.Name, r.Host, r.ID, cmp.Or(r.DefaultBranch, "-"),
			r.Public, r.EnrolledAt.Format(time.DateOnly))
	}
	return w.Flush()
}
