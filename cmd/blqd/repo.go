package main

import (
	"cmp"
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/store"
)

func newRepo(a *app) *cobra.Command {
	return group("repo", "Enrol, list and withdraw repositories", newRepoEnrol(a), newRepoList(a), newRepoWithdraw(a))
}

type repoFlags struct {
	id     int64
	host   string
	branch string
	public bool
	api    string
}

func newRepoEnrol(a *app) *cobra.Command {
	var f repoFlags
	c := &cobra.Command{
		Use:   "enrol OWNER/NAME",
		Short: "Let the jobs of a repository send runs",
		Long: `Lets jobs of a repository send runs with their own OIDC tokens, and people read
them who may read the repository. What counts is the repository's ID, which
stays the same when it is renamed; unless given it is asked of GitHub, with the
token in GITHUB_TOKEN for a repository that is not public.`,
		Example: `  blqd repo enrol acme/shop
  blqd repo enrol acme/shop --id 1296269 --default-branch main`,
		Args: one("repository", "blqd repo enrol acme/shop"),
		RunE: func(c *cobra.Command, args []string) error {
			if !store.IsRepoName(args[0]) {
				return store.Hint(store.Errorf(store.Invalid, "%q is no repository: it has the form owner/name", args[0]), "blqd repo enrol acme/shop")
			}
			f.api = cmp.Or(f.api, a.getenv(envName("github-api")), defaults().GitHubAPI)
			return a.withDirectory(c, func(ctx context.Context, d store.Directory) error { return a.enrol(ctx, d, args[0], f) })
		},
	}
	c.Flags().Int64Var(&f.id, "id", 0, "`NUMBER` of the repository at its host; asked of GitHub unless given")
	c.Flags().StringVar(&f.host, "host", "", "`HOST` of the repository, for GHES (default that of --github-api)")
	c.Flags().StringVar(&f.branch, "default-branch", "", "`BRANCH` that others are merged into")
	c.Flags().BoolVar(&f.public, "public", false, "everybody may read the repository at its host")
	c.Flags().StringVar(&f.api, "github-api", "", "`URL` of GitHub's API [BLQ_GITHUB_API]")
	return c
}

func (a *app) enrol(ctx context.Context, d store.Enrolment, name string, f repoFlags) error {
	r := store.EnrolledRepo{Host: cmp.Or(f.host, github.HostOf(f.api)), ID: f.id, Name: name, DefaultBranch: f.branch, Public: f.public, EnrolledAt: time.Now().UTC()}
	if r.ID == 0 {
		found, err := lookUp(ctx, f.api, name, a.getenv("GITHUB_TOKEN"))
		if err != nil {
			return err
		}
		r.ID, r.Name, r.Public = found.ID, found.Name, f.public || !found.Private
		r.DefaultBranch = cmp.Or(f.branch, found.DefaultBranch)
	}
	r, err := d.EnrolRepo(ctx, r)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "%s is enrolled: number %d at %s, default branch %s\n", r.Name, r.ID, r.Host, cmp.Or(r.DefaultBranch, "unknown"))
	return err
}

func newRepoList(a *app) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List enrolled repositories",
		RunE: func(c *cobra.Command, _ []string) error {
			return a.withDirectory(c, func(ctx context.Context, d store.Directory) error {
				repos, err := d.EnrolledRepos(ctx)
				if err != nil {
					return err
				}
				return a.listRepos(repos, asJSON)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

// repoLine is a repository as lists show it.
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
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%v\t%s\n", r.Name, r.Host, r.ID, cmp.Or(r.DefaultBranch, "-"), r.Public, r.EnrolledAt.Format(time.DateOnly))
	}
	return w.Flush()
}

func newRepoWithdraw(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "withdraw OWNER/NAME",
		Short: "End the enrolment of a repository; its runs stay",
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
	return store.Hint(store.Errorf(store.NotFound, "%s is not enrolled", name), "blqd repo list")
}
