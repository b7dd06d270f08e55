//go:build !job

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/blq-ci/blq/query"
)

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
	realmEnd(&b, r.NextSteps)
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
	contractVersions(&b, r.ContractPast)
	realmEnd(&b, r.NextSteps)
	_, err := fmt.Fprint(a.stdout, b.String())
	return err
}

// contractVersions writes the commits that changed a contract.
func contractVersions(b *strings.Builder, past query.ContractPast) {
	if len(past.Versions) > 0 {
		fmt.Fprintln(b, "versions:")
	}
	for _, v := range past.Versions {
		commit, what := cmp.Or(fmt.Sprintf("%.12s", v.Commit), "work tree"), ""
		switch {
		case v.Breaking != nil && *v.Breaking:
			what = strings.TrimSuffix("  breaking: "+strings.Join(v.Breaks, "; "), ": ")
		case v.Breaking != nil:
			what = "  compatible"
		}
		fmt.Fprintf(b, "  %-12s %-10s schema %.12s%s\n", commit, v.Version, cmp.Or(v.SchemaHash, "none"), what)
	}
	if past.More {
		fmt.Fprintln(b, "  and earlier ones: --versions 50")
	}
	if past.Unknown != "" {
		fmt.Fprintf(b, "  commits are not known: %s\n", past.Unknown)
	}
}

// realmEnd writes the next steps at the end of an answer of several parts.
func realmEnd(b *strings.Builder, steps []string) {
	if len(steps) > 0 {
		fmt.Fprintf(b, "\n%s\n", commandsOfTools.Replace(strings.Join(steps, "\n")))
	}
}
