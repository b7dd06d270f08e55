package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/query"
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
	c.AddCommand(newRealmCheck(a))
	c.AddCommand(a.askRealm()...)
	return c
}

// realmChecked prints findings in the form of compilers. The command ends with exit code 1 if there are errors.
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

// realmPlace returns a place in the form that compilers use.
func realmPlace(file string, line int) string {
	if line > 0 {
		return fmt.Sprintf("%s:%d", file, line)
	}
	return file
}

// commandsOfTools replaces the names of tools in next steps by the commands that do the same.
var commandsOfTools = strings.NewReplacer("realm_status", "blq realm status", "realm_check", "blq realm check",
	"realm_worktree_create", "blq realm worktree", "session_start", "blq realm session start",
	"session_stop", "blq realm session stop")

// realmNext writes the next steps below a line.
func realmNext(b *strings.Builder, steps []string) {
	for _, step := range steps {
		fmt.Fprintf(b, "  %s\n", commandsOfTools.Replace(step))
	}
}

// noticed writes notifications, one in each line.
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

// unasked prints the notifications about contracts that are part of an answer about something else.
func (a *app) unasked(u query.Unasked) {
	var b strings.Builder
	a.noticed(&b, u.Notices)
	if u.More > 0 {
		fmt.Fprintf(&b, "and %s: blq realm notifications\n", count(u.More, "more notification"))
	}
	fmt.Fprint(a.stderr, query.Clean(b.String()))
}
