package query

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/blq-ci/blq/facts/realm"
	"github.com/blq-ci/blq/store"
)

// pulls reads the progress of changes to repositories.
type pulls interface {
	// Standing returns the progress of a member's change. rfc selects the branch of an RFC; "" selects the branch of
	// the work tree, or on a server the branch of the newest run of a pull request. NotFound: there is no branch for
	// the RFC, or the caller may not see the repository. Unavailable: the progress is unknown.
	Standing(ctx context.Context, found RealmFound, member, rfc string) (Standing, error)
}

// Standing is the progress of a member's change.
type Standing struct {
	Path    string // path of the work tree, or URL of the repository
	Repo    string // name of the repository in runs
	Branch  string // branch of the change, "" for none
	Commit  string // commit at the end of the branch
	Base    bool   // the branch is the default branch
	Changes *int   // number of uncommitted changes, nil if unknown
	Ahead   int    // number of commits that are neither pushed nor merged
	Pushed  bool
	HasRuns bool // the asker has the runs of the repository
	Pull    *PullRequest
	Unknown string // why nobody knows whether there is a pull request, "" if known
}

// PullRequest is a pull request of a forge.
type PullRequest struct {
	Number int    `json:"number" jsonschema:"number"`
	State  string `json:"state" jsonschema:"OPEN, CLOSED or MERGED"`
	URL    string `json:"url" jsonschema:"page"`
	Title  string `json:"title" jsonschema:"title"`
	Draft  bool   `json:"draft,omitempty" jsonschema:"not to be merged yet"`
	// Mergeable is GitHub's mergeable_state, such as clean, unstable, blocked, dirty, behind, draft or unknown.
	Mergeable string `json:"mergeable,omitempty" jsonschema:"as the forge says: clean, dirty, blocked, …"`
	Head      string `json:"-"` // newest commit, "" if unknown
}

// PRStatusParams name an RFC or a branch.
type PRStatusParams struct {
	RealmAt
	RFC string `json:"rfc,omitempty" jsonschema:"only repositories with a branch for it"`
}

// PRStatus is the progress of changes in the repositories of a realm: a group of repositories that share contracts.
type PRStatus struct {
	Status      string     `json:"status" jsonschema:"success"`
	Realm       string     `json:"realm" jsonschema:"name"`
	CurrentRepo string     `json:"current_repo" jsonschema:"empty for the realm's own repository"`
	RFC         string     `json:"rfc,omitempty" jsonschema:"as it was asked for"`
	Repos       []RepoPR   `json:"repos" jsonschema:"repositories"`
	Hidden      int        `json:"hidden_repos,omitempty" jsonschema:"members that you may not see"`
	Order       []string   `json:"merge_order" jsonschema:"providers first"`
	Cycles      [][]string `json:"cycles,omitempty" jsonschema:"members that depend on each other"`
	Summary     PRSummary  `json:"summary" jsonschema:"of all"`
	NextSteps   []string   `json:"next_steps" jsonschema:"advice"`
}

// RepoPR is the progress of the change in a repository.
type RepoPR struct {
	Name    string       `json:"name" jsonschema:"name"`
	Path    string       `json:"path" jsonschema:"of a work tree, or a URL"`
	Current bool         `json:"is_current" jsonschema:"the one that asks"`
	Branch  string       `json:"branch,omitempty" jsonschema:"branch"`
	Changes *int         `json:"uncommitted_changes" jsonschema:"null on servers"`
	Ahead   int          `json:"commits_ahead" jsonschema:"not pushed, or not on the default branch"`
	Pushed  bool         `json:"pushed" jsonschema:"the branch is there for others"`
	Pull    *PullRequest `json:"pr" jsonschema:"pull request or null"`
	Checks  string       `json:"checks" jsonschema:"green, red, running or unknown"`
	After   []string     `json:"after,omitempty" jsonschema:"providers to merge before"`
	Ready   bool         `json:"ready" jsonschema:"to merge"`
	Reasons []string     `json:"reasons,omitempty" jsonschema:"reasons if it is not ready"`
	unread  bool         // nothing is known of the change, and the reasons say why
}

// PRSummary reports whether pull requests can be opened.
type PRSummary struct {
	Clean  bool `json:"all_clean" jsonschema:"everything is committed"`
	Pushed bool `json:"all_pushed" jsonschema:"everything is pushed"`
	Ready  bool `json:"ready_for_pr" jsonschema:"both"`
}

// These are the states of checks and pull requests.
const (
	green        = "green"
	red          = "red"
	stillRunning = "running"
	notKnown     = "unknown"

	PullOpen   = "OPEN"
	PullClosed = "CLOSED"
	PullMerged = "MERGED"
)

// PRStatus returns the progress of the changes in the realm's repositories. It also returns the reasons why a change
// cannot be merged. Invalid: the RFC is not a valid name of a branch, or the asker does not know the progress of
// changes.
func (a *Asker) PRStatus(ctx context.Context, p PRStatusParams) (PRStatus, error) {
	if p.RFC != "" {
		if err := checkRFC(p.RFC); err != nil {
			return PRStatus{}, err
		}
	}
	of, err := a.realmOf(RealmOf{RealmAt: p.RealmAt, RFC: p.RFC})
	if err != nil {
		return PRStatus{}, err
	}
	if a.Work == nil {
		return PRStatus{}, store.Errorf(store.Invalid, "nobody works on repositories here")
	}
	found, err := a.realm(ctx, of)
	if err != nil {
		return PRStatus{}, err
	}
	s := PRStatus{Status: succeeded, Realm: Clean(found.Name), CurrentRepo: found.Current, RFC: p.RFC, Repos: []RepoPR{},
		Hidden: len(found.Hidden), Order: []string{}, Summary: PRSummary{true, true, true}}
	if s.Repos, err = a.howFarAll(ctx, found, of); err != nil {
		return PRStatus{}, err
	}
	s.order(found)
	s.finish()
	return s, nil
}

// askedAtOnce is the max number of members that are asked at the same time.
const askedAtOnce = 8

// howFarAll returns the progress of the changes of all members. If the question names an RFC, members without a branch
// for that RFC are left out. Members whose repository the caller may not see are left out, too.
func (a *Asker) howFarAll(ctx context.Context, found RealmFound, of RealmOf) ([]RepoPR, error) {
	members := slices.DeleteFunc(slices.Clone(found.Repos), func(r realm.Repo) bool { return !realm.IsName(r.Name) })
	all, errs := make([]RepoPR, len(members)), make([]error, len(members))
	turn := make(chan struct{}, askedAtOnce)
	var done sync.WaitGroup
	for i, r := range members {
		turn <- struct{}{}
		done.Go(func() {
			all[i], errs[i] = a.howFar(ctx, found, r, of.RFC)
			<-turn
		})
	}
	done.Wait()
	list := []RepoPR{}
	for i, one := range all {
		switch err := errs[i]; {
		case store.CodeOf(err) == store.NotFound:
			continue // the member has no branch for the RFC
		case err != nil && store.CodeOf(err) == "":
			return nil, err
		case err != nil:
			r := members[i]
			one = RepoPR{Name: r.Name, Path: r.URL, Current: r.Name == found.Current, Checks: notKnown,
				Reasons: []string{Clean(err.Error())}, unread: true}
		}
		list = append(list, one)
	}
	return list, a.addErrors(ctx, list, found, of)
}

// howFar returns the progress of a member's change: the branch, the pull request, the state of the checks, and the
// reasons why the change is not ready.
func (a *Asker) howFar(ctx context.Context, found RealmFound, r realm.Repo, rfc string) (RepoPR, error) {
	at, err := a.Work.Standing(ctx, found, r.Name, rfc)
	if err != nil {
		return RepoPR{}, err
	}
	one := RepoPR{Name: r.Name, Path: at.Path, Current: r.Name == found.Current, Branch: Clean(at.Branch),
		Changes: at.Changes, Ahead: at.Ahead, Pushed: at.Pushed, Pull: at.Pull, Checks: notKnown}
	var failing []string
	commit := at.Commit
	if at.isElsewhere() {
		commit = at.Pull.Head
	}
	if at.HasRuns && commit != "" {
		if one.Checks, failing, err = a.checks(ctx, at.Repo, commit); err != nil {
			return one, err
		}
	}
	if at.Pull != nil {
		at.Pull.Title, at.Pull.URL = Clean(at.Pull.Title), Clean(at.Pull.URL)
		if one.Checks == notKnown && at.Pull.State == PullOpen {
			one.Checks = forgeChecks[at.Pull.Mergeable]
		}
		if one.Checks == "" {
			one.Checks = notKnown
		}
	}
	one.Reasons = slices.Concat(one.ofBranch(at), one.ofPull(at), one.ofChecks(failing))
	one.Ready = len(one.Reasons) == 0
	return one, nil
}

// isElsewhere reports whether the newest commit of the open pull request differs from the newest commit of the
// branch.
func (s Standing) isElsewhere() bool {
	return s.Pull != nil && s.Pull.State == PullOpen && s.Pull.Head != "" && s.Pull.Head != s.Commit
}

// forgeChecks maps GitHub's mergeable_state to the state of checks. It has no entry for "unstable", because this value
// does not say whether checks have failed or are still running.
var forgeChecks = map[string]string{"clean": green, "has_hooks": green}

// checks returns the state of a commit's newest runs, one run for each step. It also returns the sources of the runs
// that failed. Runs of forks, and runs with uncommitted changes, prove nothing about the commit.
func (a *Asker) checks(ctx context.Context, repo, commit string) (state string, failing []string, err error) {
	runs, err := a.reader().Runs(
		ctx, a.aboutMember(repo).Scope, store.RunFilter{Repo: repo, Commit: commit, Clean: true, Own: true, Newest: true,
			Limit: maxSessionRuns})
	if err != nil || len(runs) == 0 {
		return notKnown, nil, err
	}
	state = green
	for _, r := range runs {
		switch {
		case r.State == store.StateRunning && state == green:
			state = stillRunning
		case r.State != store.StateRunning && r.Status() != store.StatusOK:
			if state = red; !slices.Contains(failing, r.Source) {
				failing = append(failing, r.Source)
			}
		}
	}
	slices.Sort(failing)
	return state, failing, nil
}

// ofBranch returns the reasons why the branch is not ready.
func (r RepoPR) ofBranch(at Standing) (why []string) {
	if r.Changes != nil && *r.Changes > 0 {
		why = append(why, counted(*r.Changes, "uncommitted change"))
	}
	switch {
	case at.Branch == "":
		return append(why, "it is on no branch")
	case at.Base && r.Ahead == 0 && r.Pushed:
		return append(why, nothing)
	case !r.Pushed && r.Ahead > 0:
		return append(why, counted(r.Ahead, "commit")+" not pushed")
	case !r.Pushed:
		return append(why, "the branch is not pushed")
	}
	return why
}

// unready maps values of mergeable_state to reasons why a pull request is not ready to be merged.
var unready = map[string]string{
	"dirty": "the pull request has conflicts", "blocked": "reviews or required checks are missing",
	"behind":  "the branch is behind its base",
	"unknown": "it is not known yet whether the pull request can be merged; ask again",
}

// ofPull returns the reasons why the pull request is not ready.
func (r RepoPR) ofPull(at Standing) []string {
	switch p := r.Pull; {
	case at.Unknown != "":
		return []string{at.Unknown}
	case p == nil && (at.Branch == "" || at.Base):
		return nil // other reasons already name the missing branch
	case p == nil:
		return []string{noPull}
	case p.State == PullMerged:
		return []string{"the pull request is merged"}
	case p.State == PullClosed:
		return []string{"the pull request is closed"}
	case p.Draft:
		return []string{"the pull request is a draft"}
	case unready[p.Mergeable] != "":
		return []string{unready[p.Mergeable]}
	case at.isElsewhere() && at.Pushed:
		return []string{fmt.Sprintf("the pull request is at %.7s, but the branch is at %.7s here", Clean(p.Head), at.Commit)}
	}
	return nil
}

// ofChecks returns the reasons why the checks are not green.
func (r RepoPR) ofChecks(failing []string) []string {
	switch {
	case r.Pull == nil || r.Pull.State != PullOpen || r.Checks == green:
		return nil
	case len(failing) > 0:
		return []string{"checks failed: " + Clean(strings.Join(failing, ", "))}
	case r.Checks == stillRunning:
		return []string{"checks are running"}
	case r.Pull.Mergeable == "unstable":
		return []string{"checks have failed, or are running"}
	}
	return []string{"no checks are known"}
}

// order sets the order in which the changes should be merged.
func (s *PRStatus) order(found RealmFound) {
	var names []string
	for _, r := range s.Repos {
		if (r.Pull == nil || r.Pull.State == PullOpen) && !r.unread && !slices.Contains(r.Reasons, nothing) {
			names = append(names, r.Name)
		}
	}
	order := found.Order(names)
	s.Order = orNone(order.Members)
	s.Cycles = order.Cycles
	for i := range s.Repos {
		r := &s.Repos[i]
		r.After = order.After[r.Name]
	}
}

// These reasons also occur in next steps.
const (
	noPull  = "there is no pull request"
	nothing = "it is on its default branch: there is nothing to merge"
)

// isWaiting reports whether the answer needs a next step for this repository alone. It returns true for an open pull
// request. Without a pull request, it returns false for uncommitted changes, commits that are not pushed, and a missing
// pull request, because the answer has common next steps for these.
func (r RepoPR) isWaiting() bool {
	switch {
	case r.unread:
		return true
	case r.Pull != nil:
		return r.Pull.State == PullOpen
	case !r.Pushed || r.Changes != nil && *r.Changes > 0:
		return false
	}
	return !slices.Contains(r.Reasons, noPull) && !slices.Contains(r.Reasons, nothing)
}

// mergeable returns the repositories that can be merged now, in merge order. A repository can be merged if it is
// ready, and if its providers in the order and the other members of its cycle can be merged, too.
func (s *PRStatus) mergeable() []string {
	held := map[string]bool{}
	for _, r := range s.Repos {
		held[r.Name] = !r.Ready
	}
	for range s.Order { // repeat, because a repository that must wait makes others wait
		for _, group := range s.Cycles {
			if slices.ContainsFunc(group, func(name string) bool { return held[name] }) {
				for _, name := range group {
					held[name] = true
				}
			}
		}
		for _, r := range s.Repos {
			held[r.Name] = held[r.Name] || slices.ContainsFunc(r.After, func(name string) bool { return held[name] })
		}
	}
	return slices.DeleteFunc(slices.Clone(s.Order), func(name string) bool { return held[name] })
}

// finish sets whether pull requests can be opened, and adds the next steps.
func (s *PRStatus) finish() {
	var without []string
	waiting, unpushed := "", false
	for _, r := range s.Repos {
		s.Summary.Clean = s.Summary.Clean && (r.Changes == nil || *r.Changes == 0)
		s.Summary.Pushed = s.Summary.Pushed && r.Pushed
		unpushed = unpushed || !r.Pushed && !r.unread
		if r.Pull == nil && slices.Contains(r.Reasons, noPull) {
			without = append(without, r.Name)
		}
		if waiting == "" && !r.Ready && r.isWaiting() {
			waiting = "Look at " + r.Name + ": " + strings.Join(r.Reasons, "; ")
		}
	}
	s.Summary.Ready = s.Summary.Clean && s.Summary.Pushed && len(s.Repos) > 0
	add := func(when bool, step string) {
		if when && len(s.NextSteps) < maxNextSteps {
			s.NextSteps = append(s.NextSteps, step)
		}
	}
	add(len(s.Repos) == 0, "Make branches with realm_worktree_create")
	add(!s.Summary.Clean, "Commit changes in repos with uncommitted files")
	add(unpushed, "Push commits to remote branches")
	add(len(s.Cycles) > 0, "Merge repos that depend on each other together, or break the cycle")
	add(len(without) > 0, "Open pull requests: "+strings.Join(without, ", "))
	add(waiting != "", waiting)
	now := s.mergeable()
	add(len(now) > 0, "Merge in this order: "+strings.Join(now, ", "))
	add(len(s.NextSteps) == 0, "Nothing is to be merged")
}
