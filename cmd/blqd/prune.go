package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/internal/maintenance"
	"github.com/blq-ci/blq/store"
)

type pruneFlags struct {
	repos  []string
	all    bool
	yes    bool
	strays bool
}

func newPrune(a *app) *cobra.Command {
	var f pruneFlags
	c := &cobra.Command{
		Use:   "prune",
		Short: "Remove old runs and their logs",
		Long: `Removes the runs that the settings of retention do not keep, and deletes their
logs. blqd serve does it by itself where these settings are there. References to
runs that were removed are never given to others. Runs that go on stay.`,
		Example: `  blqd prune --keep-days 90
  blqd prune --keep-runs 200 --repo acme/shop
  blqd prune --all --yes --repo acme/gone    # everything of a repository
  blqd prune --strays                        # log objects that no run refers to`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.configure(c, append(placeSettings, retention()...)); err != nil {
				return err
			}
			return a.prune(c.Context(), f)
		},
	}
	a.config.flags(c.Flags(), retention())
	c.Flags().StringSliceVar(&f.repos, "repo", nil, "only of these `REPOSITORIES`: owner/name, with commas")
	c.Flags().BoolVar(&f.all, "all", false, "remove all runs that are not running; needs --yes")
	c.Flags().BoolVar(&f.yes, "yes", false, "do what --all says")
	c.Flags().BoolVar(&f.strays, "strays", false, "also delete log objects that no run refers to; lists all objects")
	return c
}

// retention returns the settings that say how long runs are kept.
func retention() []setting {
	var list []setting
	for _, s := range serveSettings {
		if s.name == "keep-days" || s.name == "keep-runs" || s.name == "keep-mb" {
			list = append(list, s)
		}
	}
	return list
}

func (a *app) prune(ctx context.Context, f pruneFlags) error {
	if err := a.config.checkTimes(); err != nil {
		return err
	}
	policy := a.config.policy(time.Now())
	policy.All = f.all
	switch {
	case f.all && !f.yes:
		return store.Next(store.Errorf(store.Invalid, "--all removes every run that is not running"),
			store.Shell{Line: "blqd prune --all --yes"})
	case policy == (store.Policy{}) && !f.strays:
		return store.Next(store.Errorf(store.Invalid, "nothing says what to remove"),
			store.Shell{Line: "blqd prune --keep-days 90"})
	}
	scope := store.Everything()
	if f.repos != nil {
		for _, name := range f.repos {
			if !store.IsRepoName(name) {
				return store.Next(store.Errorf(store.Invalid, "%q is not a repository", name),
					store.Shell{Line: "blqd prune --keep-days 90 --repo acme/shop"})
			}
		}
		scope = store.Repos(f.repos...)
	}
	p, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer p.Close()
	return a.pruneIn(ctx, p, scope, policy, f.strays)
}

func (a *app) pruneIn(ctx context.Context, p *places, scope store.Scope, policy store.Policy, strays bool) error {
	var done store.Pruned
	var err error
	if policy != (store.Policy{}) {
		if done, err = p.store.Prune(ctx, scope, policy); err != nil {
			return err
		}
	}
	u := maintenance.New(maintenance.Config{Store: p.store, Blobs: p.blobs})
	objects, err := u.Collect(ctx)
	if strays && err == nil {
		var more, missing int
		more, missing, err = u.AllStrays(ctx)
		objects += more
		if missing > 0 {
			fmt.Fprintf(a.stdout, "%d objects of logs or facts are missing: restore them from a backup\n", missing)
		}
	}
	fmt.Fprintf(a.stdout, "removed %d runs with %d events and %d bytes of logs; deleted %d objects\n", done.Runs,
		done.Events, done.Bytes, objects)
	return err
}
