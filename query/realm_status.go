package query

import (
	"context"
	"fmt"
	"slices"
)

// RealmStatusParams select the state of a realm.
type RealmStatusParams struct {
	RealmAt
	At string `json:"at,omitempty" jsonschema:"commit, branch or tag"`
}

// RealmStatus is an overview of a realm: a group of repositories that share contracts.
type RealmStatus struct {
	Status      string         `json:"status" jsonschema:"success"`
	Realm       string         `json:"realm" jsonschema:"name"`
	CurrentRepo string         `json:"current_repo" jsonschema:"empty for the realm's own repository"`
	Repos       []RealmRepo    `json:"repos" jsonschema:"members"`
	HiddenRepos int            `json:"hidden_repos,omitempty" jsonschema:"members that you may not see"`
	Domains     []RealmDomain  `json:"domains" jsonschema:"domains that members share"`
	Notices     []Notification `json:"notifications" jsonschema:"pending ones"`
	NextSteps   []string       `json:"next_steps" jsonschema:"advice"`
}

// RealmRepo is a repository that belongs to a realm.
type RealmRepo struct {
	Name      string `json:"name" jsonschema:"name"`
	Path      string `json:"path" jsonschema:"of a clone, or its URL"`
	IsCurrent bool   `json:"is_current" jsonschema:"the one that asks"`
}

// RealmDomain is a domain: a set of contracts that some members share.
type RealmDomain struct {
	Name      string          `json:"name" jsonschema:"name"`
	Members   []string        `json:"members" jsonschema:"repositories"`
	Contracts []RealmContract `json:"contracts" jsonschema:"contracts"`
	Bindings  []RealmBinding  `json:"bindings" jsonschema:"repositories that export and import"`
}

// RealmContract is a contract in an overview.
type RealmContract struct {
	Name    string `json:"name" jsonschema:"name"`
	Version string `json:"version" jsonschema:"version"`
	Owner   string `json:"owner" jsonschema:"owner"`
}

// RealmBinding holds the numbers of contracts that a member exports and imports in a domain.
type RealmBinding struct {
	Repo    string `json:"repo" jsonschema:"member"`
	Role    string `json:"role" jsonschema:"Provider, Consumer or Both"`
	Exports int    `json:"exports" jsonschema:"number"`
	Imports int    `json:"imports" jsonschema:"number"`
}

// RealmStatus returns an overview of the realm to which the repository belongs.
func (a *Asker) RealmStatus(ctx context.Context, p RealmStatusParams) (RealmStatus, error) {
	found, err := a.realm(ctx, RealmOf{RealmAt: p.RealmAt, At: p.At})
	if err != nil {
		return RealmStatus{}, err
	}
	s := RealmStatus{Status: succeeded, Realm: found.Name, CurrentRepo: found.Current, Repos: []RealmRepo{},
		Domains: []RealmDomain{}}
	for _, r := range found.Repos {
		path := r.URL
		if found.Clones[r.Name] != "" {
			path = found.Clones[r.Name]
		}
		s.Repos = append(s.Repos, RealmRepo{r.Name, path, r.Name == found.Current})
	}
	s.HiddenRepos = len(found.Hidden)
	for _, d := range found.Domains {
		one := RealmDomain{Name: d.Name, Members: []string{}, Contracts: []RealmContract{}, Bindings: []RealmBinding{}}
		for _, m := range d.Members {
			if !found.hides(m) {
				one.Members = append(one.Members, m)
			}
		}
		for _, c := range d.Contracts {
			one.Contracts = append(one.Contracts, RealmContract{c.Name, c.Version, c.Owner})
		}
		for _, b := range d.Bindings {
			if found.hides(b.Repo) {
				continue
			}
			one.Bindings = append(one.Bindings, RealmBinding{b.Repo, string(b.Role), len(b.Exports), len(b.Imports)})
		}
		s.Domains = append(s.Domains, one)
	}
	told, err := a.notified(ctx, found, pendingState)
	s.Notices = told.list
	var steps []string
	if found.Current != "" && !slices.ContainsFunc(s.Repos, func(r RealmRepo) bool { return r.IsCurrent }) {
		steps = []string{fmt.Sprintf("Add repos/%[1]s.yaml to the realm, so that %[1]s is a member", found.Current)}
	}
	if a.Work != nil && found.Current != "" && found.Session == "" {
		steps = append(steps, "Start a session with session_start to track your work")
	}
	s.NextSteps = told.withNotices(append(steps, "Run realm_check to validate changes"))
	return s, err
}
