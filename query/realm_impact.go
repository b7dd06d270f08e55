package query

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/blq-ci/blq/facts/realm"
	"github.com/blq-ci/blq/store"
)

// ContractImpact is a change of a contract, with the contract's consumers. The contract belongs to the repository in
// which the change was made.
type ContractImpact struct {
	Domain, Contract string
	Old, New         string   // versions; New is "" for a removed contract
	Breaks           []string // changes that break consumers
	Dangers          []string // changes that may surprise consumers
	Unknown          string   // why the comparison is incomplete, "" if it is complete
	Consumers        []Consumer
	Hidden           int // number of consumers that the caller may not see
}

// Consumer is a repository that imports a contract.
type Consumer struct {
	Name        string // name in the realm
	Requirement string
	Fits        bool   // the new version is in the consumer's range
	State       string // state of the default branch, "" if unknown
}

// maxConsumers is the max number of consumers whose state is read for the contracts of one commit.
const maxConsumers = 20

// ContractImpacts returns the changes that a commit makes to contracts of its repository. It compares the commit with
// the merge base of the commit and the default branch. It returns nil if there is no valid realm.
func (a *Asker) ContractImpacts(ctx context.Context, repo, commit string) ([]ContractImpact, error) {
	if a.Realms == nil {
		return nil, nil
	}
	found, err := a.realm(ctx, RealmOf{RealmAt: RealmAt{Repo: repo}, At: commit})
	if slices.Contains([]store.Code{store.NotFound, store.Invalid, store.TooLarge}, store.CodeOf(err)) {
		return nil, nil // realm_check reports the problem
	}
	if err != nil {
		return nil, err
	}
	var all []ContractImpact
	states := map[string]string{}
	for _, i := range realm.Impacts(found.Baseline, found.Realm, found.Current) {
		one := ContractImpact{Domain: Clean(i.Domain), Contract: Clean(i.Contract), Old: Clean(i.Old), New: Clean(i.New),
			Breaks: cleanAll(i.Breaks), Dangers: cleanAll(i.Dangers), Unknown: Clean(i.Unknown)}
		for _, u := range i.Users {
			if found.hides(u.Repo) {
				one.Hidden++
				continue
			}
			if _, known := states[u.Repo]; !known && len(states) < maxConsumers {
				if states[u.Repo], err = a.stateOf(ctx, found.Places[u.Repo]); err != nil {
					return nil, err
				}
			}
			one.Consumers = append(one.Consumers, Consumer{Clean(u.Repo), Clean(u.Requirement), u.Fits, states[u.Repo]})
		}
		all = append(all, one)
	}
	return all, nil
}

// aboutMember returns an asker for questions about another member of the realm. repo is the repository of the member.
// It is "" if all members are on this machine. The caller of aboutMember has checked that the user may see the member.
func (a *Asker) aboutMember(repo string) *Asker {
	member := *a
	if repo != "" && !a.Scope.All() {
		member.Scope = store.Repos(repo)
	}
	return &member
}

// stateOf returns a text about the results of the newest runs on a repository's default branch. It returns "" if the
// results are unknown. The caller of stateOf has checked that the user may see the repository.
func (a *Asker) stateOf(ctx context.Context, repo string) (string, error) {
	if repo == "" {
		return "", nil
	}
	a = a.aboutMember(repo)
	branches := slices.Clone(store.DefaultBranches)
	if a.Ancestry != nil {
		if name, err := a.Ancestry.DefaultBranch(ctx, repo); err != nil {
			return "", err
		} else if name != "" {
			branches = []string{name}
		}
	}
	for _, branch := range branches {
		s, err := a.status(ctx, StatusParams{At: At{Repo: repo, Branch: branch}})
		if err != nil && store.CodeOf(err) != store.NotFound {
			return "", err
		}
		if len(s.Sources) > 0 {
			return s.short(Clean(branch)), nil
		}
	}
	return "", nil
}

// short returns a short text about the results on a branch. It returns "" if there are none.
func (s Status) short(branch string) string {
	var failed []string
	passed, running := 0, 0
	for _, source := range s.Sources {
		switch {
		case source.LeftOut != "":
		case source.Status == store.StatusOK:
			passed++
		case source.Status == store.StatusRunning:
			running++
		default:
			failed = append(failed, fmt.Sprintf("%s:%d", Clean(source.Name), source.RunID))
		}
	}
	switch {
	case len(failed) > 3:
		failed = append(failed[:3], "…")
		fallthrough
	case len(failed) > 0:
		return "fails on " + branch + " (" + strings.Join(failed, ", ") + ")"
	case running > 0 && passed > 0:
		return "OK on " + branch + ", and still running"
	case running > 0:
		return "running on " + branch
	case passed > 0:
		return "OK on " + branch
	}
	return ""
}
