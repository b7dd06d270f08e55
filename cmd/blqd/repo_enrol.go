package main

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/store"
)

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
				return store.Next(store.Errorf(store.Invalid,
					"%q is not a repository: it has the form owner/name", args[0]),
					store.Shell{Line: "blqd repo enrol acme/shop"})
			}
			f.api = cmp.Or(f.api, a.getenv(envName("github-api")), defaults().GitHubAPI)
			return a.withDirectory(c, func(ctx context.Context, d store.Directory) error { return a.enrol(ctx, d, args[0], f) })
		},
	}
	c.Flags().Int64Var(&f.id, "id", 0, "`NUMBER` of the repository at its host; asked of GitHub unless given")
	c.Flags().StringVar(&f.host, "host", "", "`HOST` of the repository, for GHES; default: the host of --github-api")
	c.Flags().StringVar(&f.branch, "default-branch", "", "default `BRANCH` of the repository")
	c.Flags().BoolVar(&f.public, "public", false, "everybody may read the repository at its host")
	c.Flags().StringVar(&f.api, "github-api", "", "`URL` of GitHub's API [BLQ_GITHUB_API]")
	return c
}

func (a *app) enrol(ctx context.Context, d store.Enrolment, name string, f repoFlags) error {
	r := store.EnrolledRepo{Host: cmp.Or(f.host, github.HostOf(f.api)), ID: f.id, Name: name, DefaultBranch: f.branch,
		Public: f.public, EnrolledAt: time.Now().UTC()}
	if r.ID == 0 {
		found, err := lookUp(ctx, f.api, name, a.getenv("GITHUB_TOKEN"))
		if err != nil {
			return err
		}
		r.ID, r.Name, r.Public = found.ID, found.Name, f.public || !found.Private
		r.DefaultBranch = cmp.Or(f.branch, found.DefaultBranch)
	}
	if known, err := d.EnrolledRepo(ctx, r.Host, r.ID); err == nil {
		r.DefaultBranch = cmp.Or(r.DefaultBranch, known.DefaultBranch)
	}
	r, err := d.EnrolRepo(ctx, r)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "%s is enrolled: number %d at %s, default branch %s\n", r.Name, r.ID, r.Host,
		cmp.Or(r.DefaultBranch, "unknown"))
	return err
}
