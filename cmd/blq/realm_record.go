package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/internal/findings"
	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// newRealmCheck returns the command realm check, which may also record what it finds.
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

// contractsRun is the name of the runs of findings about contracts.
const contractsRun = "contracts"

// recordContracts records the findings of the work tree, and before that those of the commit that it is compared with,
// unless there is a run of that.
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
		known, err := a.isRecorded(ctx, contractsRun, base)
		if err != nil {
			return err
		}
		before, unread := asker.RealmCheck(ctx, query.RealmCheckParams{At: base})
		if unread == nil && !known { // else nothing is called new
			spec := record.Spec{Dir: w.Root(), Commit: base, Branch: branch}
			if _, err := contractFindings(before).Record(ctx, w.Project, spec); err != nil {
				return err
			}
		}
	}
	now, err := asker.RealmCheck(ctx, query.RealmCheckParams{})
	if err != nil {
		return err
	}
	return a.recordResult(ctx, contractFindings(now))
}

// contractFindings returns the findings of a check as events. Files are in the repository, or in that of the realm.
func contractFindings(r query.RealmChecked) *findings.Result {
	var events []store.Event
	for _, group := range []struct {
		severity store.Severity
		findings []query.RealmFinding
	}{{store.SeverityError, r.Errors}, {store.SeverityWarning, r.Warnings}} {
		for _, f := range group.findings {
			events = append(events, store.Event{Severity: group.severity, File: f.File, Line: f.Line, Message: f.Message,
				Tool: contractsRun, Category: store.CategoryLint, Code: f.Kind})
		}
	}
	return findings.Of(contractsRun, "blq realm check", count(len(r.SchemaHashes), "contract"), events)
}
