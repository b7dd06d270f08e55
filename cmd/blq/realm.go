package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/internal/project/backend"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

func newRealm(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "realm",
		Short: "Check contracts between repositories",
		Long: `A realm is a repository of YAML files: contracts that repositories share, and who
exports and imports them. A member has .blue/config.yaml, which names the realm.
The realm's repository is read from its clone in ~/.blue/realms/NAME.`,
		Example: `  blq realm check                                  # exit 1 if a contract or binding is broken
  blq realm status                                 # members, contracts, bindings
  blq realm contract s3-access s3-permissions      # one contract with its schema`,
		Args: noSuchCommand,
		RunE: help,
	}
	c.AddCommand(newRealmCheck(a), newRealmStatus(a), newRealmContract(a))
	return c
}

func newRealmCheck(a *app) *cobra.Command {
	p := query.RealmCheckParams{}
	c := &cobra.Command{
		Use:   "check",
		Short: "Check the contracts and bindings of this repository's domains",
		Long: `Check exits with 0 or 1: versions, schemas and values of contracts, what bindings
name and require, and what has changed since this repository left its default
branch: a schema without a new version, a break without a new major version.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			asker, err := a.realmAsker(c.Context())
			if err != nil {
				return err
			}
			answer, err := asker.RealmCheck(c.Context(), p)
			if err != nil {
				return err
			}
			if err := a.either(answer, func() error { return a.realmChecked(answer) }); err != nil || answer.Valid {
				return err
			}
			return exit{1}
		},
	}
	c.Flags().BoolVar(&p.Strict, "strict", false, "warnings fail too")
	atFlag(c, &p.At)
	jsonFlags[query.RealmChecked](c, a, "print JSON")
	return c
}

func newRealmStatus(a *app) *cobra.Command {
	p := query.RealmStatusParams{}
	c := &cobra.Command{
		Use:   "status",
		Short: "Show members, domains, contracts and bindings",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			asker, err := a.realmAsker(c.Context())
			if err != nil {
				return err
			}
			answer, err := asker.RealmStatus(c.Context(), p)
			if err != nil {
				return err
			}
			return a.either(answer, func() error { return a.realmStatus(answer) })
		},
	}
	atFlag(c, &p.At)
	jsonFlags[query.RealmStatus](c, a, "print JSON")
	return c
}

func newRealmContract(a *app) *cobra.Command {
	p := query.ContractGetParams{}
	c := &cobra.Command{
		Use:   "contract DOMAIN CONTRACT",
		Short: "Show a contract, and who is bound to it",
		Args:  cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			p.Domain, p.Contract = args[0], args[1]
			asker, err := a.realmAsker(c.Context())
			if err != nil {
				return err
			}
			answer, err := asker.ContractGet(c.Context(), p)
			if err != nil {
				return err
			}
			return a.either(answer, func() error { return a.contract(answer) })
		},
	}
	atFlag(c, &p.At)
	jsonFlags[query.ContractFound](c, a, "print JSON")
	return c
}

// realmAsker returns who answers questions about the realm. Nothing has to be recorded for that.
func (a *app) realmAsker(ctx context.Context) (*query.Asker, error) {
	if a.where.server != "" || a.where.repo != "" {
		return nil, store.Hint(store.Errorf(store.Invalid, "a server does not know realms"),
			"leave out --remote and --repo: the realm is read from this repository and its clone")
	}
	cwd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	a.backend = backend.New(a.getenv, cwd)
	return a.backend.Ask(ctx)
}

// either shows an answer as JSON if that is wanted, else as text.
func (a *app) either(answer any, text func() error) error {
	if a.form.json {
		return a.json(answer)
	}
	return text()
}

func (a *app) realmChecked(r query.RealmChecked) error {
	var b strings.Builder
	for _, group := range []struct {
		word     string
		findings []query.RealmFinding
	}{{a.style.paint(red, "error"), r.Errors}, {a.style.paint(yellow, "warning"), r.Warnings}} {
		for _, f := range group.findings {
			fmt.Fprintf(&b, "%s: %s: %s [%s]\n", realmPlace(cmp.Or(f.Path, f.File), f.Line), group.word, f.Message, f.Kind)
		}
	}
	fmt.Fprintf(&b, "%s: %s, %s in %s\n", cmp.Or(r.CurrentRepo, r.Realm), count(len(r.Errors), "error"),
		count(len(r.Warnings), "warning"), r.Realm)
	for _, step := range r.NextSteps {
		fmt.Fprintf(&b, "  %s\n", step)
	}
	_, err := fmt.Fprint(a.stdout, b.String())
	return err
}

// realmPlace returns where something is written, as compilers do.
func realmPlace(file string, line int) string {
	if line > 0 {
		return fmt.Sprintf("%s:%d", file, line)
	}
	return file
}

func (a *app) realmStatus(r query.RealmStatus) error {
	var b strings.Builder
	fmt.Fprintf(&b, "realm %s\n", r.Realm)
	for _, repo := range r.Repos {
		mark := " "
		if repo.IsCurrent {
			mark = "*"
		}
		fmt.Fprintf(&b, "%s %-20s %s\n", mark, repo.Name, repo.Path)
	}
	for _, d := range r.Domains {
		fmt.Fprintf(&b, "\n%s (%s)\n", a.style.paint("1", d.Name), strings.Join(d.Members, ", "))
		for _, c := range d.Contracts {
			fmt.Fprintf(&b, "  %s %s of %s\n", c.Name, c.Version, c.Owner)
		}
		for _, i := range d.Bindings {
			fmt.Fprintf(&b, "  %s: %s, %s, %s\n", i.Repo, strings.ToLower(i.Role), count(i.Exports, "export"),
				count(i.Imports, "import"))
		}
	}
	_, err := fmt.Fprint(a.stdout, b.String())
	return err
}

func (a *app) contract(r query.ContractFound) error {
	var b strings.Builder
	c := r.Contract
	fmt.Fprintf(&b, "%s %s of %s, in %s\n", a.style.paint("1", c.Name), c.Version, c.Owner, realmPlace(c.File, c.Line))
	for _, i := range r.Bindings {
		fmt.Fprintln(&b, strings.TrimRight(fmt.Sprintf("  %s %s it %s", i.Repo, i.Relationship, i.VersionReq), " "))
	}
	for _, part := range []struct {
		name string
		text json.RawMessage
	}{{"schema", c.Schema}, {"value", c.Value}} {
		if part.text != nil {
			text, err := json.MarshalIndent(part.text, "  ", "  ")
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "%s:\n  %s\n", part.name, text)
		}
	}
	for _, step := range r.NextSteps {
		fmt.Fprintln(&b, step)
	}
	_, err := fmt.Fprint(a.stdout, b.String())
	return err
}
