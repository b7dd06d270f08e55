package query

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/blq-ci/blq/facts/realm"
	"github.com/blq-ci/blq/store"
)

// RealmWork provides sessions, work trees and pull requests for work in a realm.
type RealmWork interface {
	sessions
	worktrees
	pulls
}

// worktrees makes work trees of repositories.
type worktrees interface {
	// Worktree makes a work tree of a member, on a branch for an RFC. If it cannot make the work tree, it returns the
	// commands that make it. NotFound: there is no clone of the member. Conflict: a file or directory is in the place
	// of the work tree.
	Worktree(ctx context.Context, found RealmFound, member, rfc string) (Worktree, error)
}

// Worktree is a work tree of a member.
type Worktree struct {
	Path     string
	Existed  bool
	Note     string   // a warning about the work tree, "" for none
	URL      string   // repository of the clone in which Commands run
	Commands []string // commands that make the work tree, nil if it exists
}

// WorktreeCreateParams name the RFC and the repositories.
type WorktreeCreateParams struct {
	RealmAt
	RFC   string   `json:"rfc" jsonschema:"RFC or branch"`
	Repos []string `json:"repos,omitempty" jsonschema:"members; else those that share a domain"`
}

// WorktreesCreated holds the new work trees of several repositories.
type WorktreesCreated struct {
	Status    string            `json:"status" jsonschema:"success, partial, error; plan: run its commands"`
	RFC       string            `json:"rfc" jsonschema:"as it was asked for"`
	Realm     string            `json:"realm" jsonschema:"name"`
	Reason    string            `json:"reason" jsonschema:"reason for these repositories"`
	Created   []string          `json:"created" jsonschema:"members with a new work tree"`
	Existing  []string          `json:"existing" jsonschema:"members that had it"`
	Paths     map[string]string `json:"paths" jsonschema:"of work trees"`
	Plan      []WorktreePlan    `json:"plan,omitempty" jsonschema:"commands for your machine"`
	Errors    []string          `json:"errors" jsonschema:"member: error"`
	Hidden    int               `json:"hidden_repos,omitempty" jsonschema:"peers that you may not see"`
	NextSteps []string          `json:"next_steps" jsonschema:"advice"`
}

// WorktreePlan describes how to make the work tree of a member.
type WorktreePlan struct {
	Repo     string   `json:"repo" jsonschema:"member"`
	URL      string   `json:"url" jsonschema:"of the repository"`
	Commands []string `json:"commands" jsonschema:"to run in a clone of it"`
}

// Failed reports whether a work tree could not be made.
func (w WorktreesCreated) Failed() bool { return len(w.Errors) > 0 }

// maxWorktrees is the max number of work trees for one question.
const maxWorktrees = 100

// WorktreeCreate makes work trees of the repositories in the parameter repos. Without this parameter, it makes work
// trees of the repository in the question and of the members that share a domain with it. If a work tree fails, the
// answer has the error. Invalid: the RFC is not a valid name of a branch, repos is empty, or repos is left out for the
// realm's own repository. TooLarge: there are more than maxWorktrees repositories.
func (a *Asker) WorktreeCreate(ctx context.Context, p WorktreeCreateParams) (WorktreesCreated, error) {
	if err := checkRFC(p.RFC); err != nil {
		return WorktreesCreated{}, err
	}
	if p.Repos != nil && len(p.Repos) == 0 {
		return WorktreesCreated{}, store.Hint(store.Errorf(store.Invalid, "repos names no repository"),
			"name one, or leave repos out for those that share a domain with this one")
	}
	found, err := a.working(ctx, &p.RealmAt, "")
	if err != nil {
		return WorktreesCreated{}, err
	}
	w := WorktreesCreated{RFC: p.RFC, Realm: Clean(found.Name), Created: []string{}, Existing: []string{},
		Paths: map[string]string{}, Errors: []string{}}
	members := slices.Compact(slices.Sorted(slices.Values(p.Repos)))
	if w.Reason = "Repos as requested"; p.Repos == nil {
		if members, w.Reason, w.Hidden, err = found.peers(); err != nil {
			return WorktreesCreated{}, err
		}
	}
	if len(members) > maxWorktrees {
		return WorktreesCreated{}, store.Hint(store.Errorf(store.TooLarge,
			"these are %d repositories, and at most %d get a work tree at once", len(members), maxWorktrees),
			"name some: repos")
	}
	var notes []string
	for _, m := range members {
		one, err := a.worktree(ctx, found, m, p.RFC)
		if store.CodeOf(err) == "" && err != nil {
			return w, err
		}
		if note := w.add(m, one, err); note != "" {
			notes = append(notes, note)
		}
	}
	w.finish(found.Current, notes)
	return w, nil
}

// checkRFC returns an Invalid error if a text cannot be the name of an RFC.
func checkRFC(rfc string) error {
	if realm.IsRFC(rfc) {
		return nil
	}
	return store.Hint(store.Errorf(store.Invalid, "rfc is not valid: %.100q", Clean(rfc)),
		"it is the name of a branch: letters, digits and ._-/ such as rfc-0042-new-api, without ..")
}

// peers returns the current member, and the members that share a domain with the current member. reason is a text
// about the selection of the members. hidden is the number of peers that the caller may not see.
func (f RealmFound) peers() (members []string, reason string, hidden int, err error) {
	if f.Current == "" {
		return nil, "", 0, store.Hint(store.Errorf(store.Invalid, "the realm's own repository shares no domain with others"),
			"name repositories: repos")
	}
	members = []string{f.Current}
	var domains []string
	var unseen []string
	for _, d := range f.Domains {
		if !d.Has(f.Current) {
			continue
		}
		shared := false
		for _, m := range d.Participants() {
			switch {
			case m == f.Current:
				continue
			case f.hides(m):
				unseen = append(unseen, m)
			case !slices.Contains(members, m):
				members = append(members, m)
			}
			shared = true
		}
		if shared {
			domains = append(domains, d.Name)
		}
	}
	slices.Sort(members)
	slices.Sort(unseen)
	if len(domains) == 0 {
		return members, "No other repository shares a domain", 0, nil
	}
	return members, "Domain peers via " + strings.Join(domains, ", "), len(slices.Compact(unseen)), nil
}

// worktree makes the work tree of a member.
func (a *Asker) worktree(ctx context.Context, found RealmFound, member, rfc string) (Worktree, error) {
	known := slices.ContainsFunc(found.Repos, func(r realm.Repo) bool { return r.Name == member })
	if !realm.IsName(member) || !known || found.hides(member) {
		return Worktree{}, store.Errorf(store.NotFound, "it is not a member of the realm")
	}
	return a.Work.Worktree(ctx, found, member, rfc)
}

// add adds the work tree of a member to the answer. If err is not nil, it adds the error instead. It returns the
// warning about the work tree, or "".
func (w *WorktreesCreated) add(member string, one Worktree, err error) string {
	name := Clean(member)
	if err != nil {
		w.Errors = append(w.Errors, fmt.Sprintf("%.100s: %s", name, Clean(err.Error())))
		return ""
	}
	w.Paths[name] = one.Path
	switch {
	case one.Commands != nil:
		w.Plan = append(w.Plan, WorktreePlan{name, one.URL, one.Commands})
	case one.Existed:
		w.Existing = append(w.Existing, name)
	default:
		w.Created = append(w.Created, name)
	}
	if one.Note == "" {
		return ""
	}
	return name + ": " + one.Note
}

// finish sets the result and the next steps.
func (w *WorktreesCreated) finish(current string, notes []string) {
	path := w.Paths[current]
	for _, list := range [][]string{w.Created, w.Existing} {
		if path == "" && len(list) > 0 {
			path = w.Paths[list[0]]
		}
	}
	switch {
	case len(w.Paths) == 0:
		w.Status = "error"
	case len(w.Errors) > 0:
		w.Status = "partial"
	case len(w.Plan) > 0:
		w.Status = "plan"
	default:
		w.Status = succeeded
	}
	switch {
	case len(w.Errors) > 0 && path == "":
		w.NextSteps = append(w.NextSteps, "See the members of the realm with realm_status")
	case len(w.Plan) > 0:
		w.NextSteps = append(w.NextSteps, "Run the commands of plan, each list in a clone of its repository")
	}
	if path != "" {
		w.NextSteps = append(w.NextSteps, "cd "+path+" to start working", "Use session_start to track your work")
	}
	for _, e := range w.Errors {
		w.NextSteps = append(w.NextSteps, "Mend "+e)
	}
	w.NextSteps = append(w.NextSteps, notes...)
	w.NextSteps = w.NextSteps[:min(len(w.NextSteps), maxNextSteps)]
}
