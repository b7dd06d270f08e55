package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/internal/findings"
	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
)

// newRealmCheck returns the command realm check. The command can also record the findings.
func newRealmCheck(a *app) *cobra.Command {
	c := newShown(a, questions.RealmCheck, a.realmChecked)
	ask, recorded := c.RunE, false
	c.Flags().BoolVar(&recorded, "record", false, "record findings as a run contracts: what is new, history, comments")
	c.RunE = func(c *cobra.Command, args []string) error {
		if recorded && (a.where.server != "" || c.Flag("at").Changed || c.Flag("cwd").Changed || c.Flag("realm").Changed) {
			return usage{errors.New("--record is for this work tree; leave out --at, --cwd, --realm and --remote")}
		}
		checked := ask(c, args)
		var bad exit
		if !recorded || checked != nil && !errors.As(checked, &bad) {
			return checked
		}
		return errors.Join(a.recordContracts(c.Context()), checked)
	}
	return c
}

// recordContracts records the findings of the work tree. The work tree is compared with a base commit. If there is no
// run for the base commit, recordContracts records the findings of that commit first.
func (a *app) recordContracts(ctx context.Context) error {
	w, err := a.create(ctx)
	if err != nil {
		return err
	}
	asker, err := a.backend.Ask(ctx)
	if err != nil {
		return err
	}
	base, branch := baseOfFindings(ctx, w.Root())
	if base != "" {
		known, err := a.isRecorded(ctx, findings.ContractsRun, base)
		if err != nil {
			return err
		}
		before, unread := asker.RealmCheck(ctx, query.RealmCheckParams{At: base})
		if unread == nil && !known { // without the base, no finding is new
			spec := record.Spec{Dir: w.Root(), Commit: base, Branch: branch}
			if _, err := findings.Contracts(before).Record(ctx, w.Project, spec); err != nil {
				return err
			}
		}
	}
	now, err := asker.RealmCheck(ctx, query.RealmCheckParams{})
	if err != nil {
		return err
	}
	return a.recordResult(ctx, findings.Contracts(now), false)
}
