//go:build !job

package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
)

// realmWork returns the commands for people who work in a realm.
func realmWork(a *app) []*cobra.Command {
	session := &cobra.Command{
		Use:   "session",
		Short: "Start and stop sessions of work on contracts",
		Example: `  blq realm session start rfc-0042-new-api
  blq realm session stop                           # what was done`,
		Args: noSuchCommand,
		RunE: help,
	}
	session.AddCommand(newShown(a, questions.SessionStart, a.sessionStarted),
		newShown(a, questions.SessionStop, a.sessionStopped))
	return []*cobra.Command{session, newShown(a, questions.WorktreeCreate, a.worktreesCreated),
		newShown(a, questions.PRStatus, a.pullStatus)}
}

func (a *app) sessionStarted(s query.SessionStarted) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", s.Message, s.Session.ID)
	a.inSession(&b, s.Session)
	realmNext(&b, s.NextSteps)
	_, err := fmt.Fprint(a.stdout, b.String())
	return err
}

func (a *app) sessionStopped(s query.SessionStopped) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", s.Message, s.Summary.ID)
	a.inSession(&b, s.Summary.Session)
	fmt.Fprintf(&b, "  %s, %s, %s, %d fixed\n", count(s.Summary.Runs, "run"), count(s.Summary.Commits, "commit"),
		count(s.Summary.New, "new error"), s.Summary.Fixed)
	realmNext(&b, s.NextSteps)
	_, err := fmt.Fprint(a.stdout, b.String())
	return err
}

// inSession writes what a session is about.
func (a *app) inSession(b *strings.Builder, s query.Session) {
	fmt.Fprintf(b, "  %s in %s\n", s.Repo, s.Realm)
	for _, part := range []struct {
		name string
		list []string
	}{{"rfc", []string{s.RFC}}, {"domains", s.Domains}, {"modified", s.Modified}, {"watched", s.Watched}} {
		if text := strings.Join(part.list, ", "); text != "" {
			fmt.Fprintf(b, "  %-8s %s\n", part.name, text)
		}
	}
}

func (a *app) worktreesCreated(w query.WorktreesCreated) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", w.RFC, w.Reason)
	for _, group := range []struct {
		word    string
		members []string
	}{{"created", w.Created}, {"existing", w.Existing}} {
		for _, m := range group.members {
			fmt.Fprintf(&b, "  %-8s %s\n", group.word, w.Paths[m])
		}
	}
	for _, p := range w.Plan {
		fmt.Fprintf(&b, "  %s, in a clone of %s:\n    %s\n", p.Repo, p.URL, strings.Join(p.Commands, "\n    "))
	}
	for _, e := range w.Errors {
		fmt.Fprintf(&b, "  %s: %s\n", a.style.paint(red, "error"), e)
	}
	realmNext(&b, w.NextSteps)
	_, err := fmt.Fprint(a.stdout, b.String())
	return err
}

func (a *app) pullStatus(s query.PRStatus) error {
	var b strings.Builder
	for _, r := range s.Repos {
		state := a.style.paint(yellow, "not ready")
		if r.Ready {
			state = a.style.paint(green, "ready")
		}
		fmt.Fprintf(&b, "%s %s", r.Name, state)
		if r.Branch != "" {
			fmt.Fprintf(&b, ", on %s", r.Branch)
		}
		if r.Pull != nil {
			fmt.Fprintf(&b, ", #%d %s %s", r.Pull.Number, strings.ToLower(r.Pull.State), r.Pull.URL)
		}
		fmt.Fprintln(&b)
		for _, why := range r.Reasons {
			fmt.Fprintf(&b, "  %s\n", why)
		}
	}
	if s.Hidden > 0 {
		fmt.Fprintf(&b, "and %d that you may not see\n", s.Hidden)
	}
	if len(s.Order) > 0 {
		fmt.Fprintf(&b, "merge order: %s\n", strings.Join(s.Order, ", "))
	}
	for _, c := range s.Cycles {
		fmt.Fprintf(&b, "these depend on each other: %s\n", strings.Join(c, ", "))
	}
	realmNext(&b, s.NextSteps)
	_, err := fmt.Fprint(a.stdout, b.String())
	return err
}
