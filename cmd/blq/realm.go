package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
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
	c.AddCommand(newShown(a, questions.RealmStatus, a.realmStatus), newRealmCheck(a),
		newShown(a, questions.ContractGet, a.contract), newShown(a, questions.Notifications, a.notifications))
	return c
}

// realmChecked shows findings as compilers do, and ends with exit code 1 if there are errors.
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
	a.noticed(&b, r.Notices)
	realmNext(&b, r.NextSteps)
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

// realmNext shows what to do.
func realmNext(b *strings.Builder, steps []string) {
	for _, step := range steps {
		fmt.Fprintf(b, "  %s\n", step)
	}
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
	if r.HiddenRepos > 0 {
		fmt.Fprintf(&b, "  and %d that you may not see\n", r.HiddenRepos)
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
	if len(r.Notices) > 0 {
		fmt.Fprintln(&b)
		a.noticed(&b, r.Notices)
	}
	_, err := fmt.Fprint(a.stdout, b.String())
	return err
}

func (a *app) notifications(l query.NotificationsList) error {
	var b strings.Builder
	a.noticed(&b, l.Notifications)
	realmNext(&b, l.NextSteps)
	_, err := fmt.Fprint(a.stdout, b.String())
	return err
}

// noticed shows notifications, one a line.
func (a *app) noticed(b *strings.Builder, list []query.Notification) {
	for _, n := range list {
		versions := n.Changes.NewVersion
		if n.Changes.OldVersion != "" {
			versions = strings.TrimSuffix(n.Changes.OldVersion+" to "+versions, " to ")
		}
		if n.Changes.Compatible != nil && !*n.Changes.Compatible {
			versions += ", breaking"
		}
		fmt.Fprintln(b, strings.TrimRight(fmt.Sprintf("%s  %s  %s/%s of %s: %s %s", n.CreatedAt, n.State, n.Domain,
			n.Contract, n.FromRepo, n.ChangeType, versions), " "))
	}
}

func (a *app) contract(r query.ContractFound) error {
	var b strings.Builder
	c := r.Contract
	fmt.Fprintf(&b, "%s %s of %s, in %s\n", a.style.paint("1", c.Name), c.Version, c.Owner, realmPlace(c.File, c.Line))
	for _, i := range r.Bindings {
		fmt.Fprintln(&b, strings.TrimRight(fmt.Sprintf("  %s %s it %s", i.Repo, i.Relationship, i.VersionReq), " "))
	}
	if r.Hidden > 0 {
		fmt.Fprintf(&b, "  and %d that you may not see\n", r.Hidden)
	}
	for _, part := range []struct {
		name string
		text json.RawMessage
	}{{"schema", c.Schema}, {"value", c.Value}} {
		if len(part.text) > 0 && string(part.text) != "null" {
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
