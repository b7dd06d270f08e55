package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/store"
)

// quotas holds the quotas of repositories and owners as the operator sets them: sizes in MB, and numbers of runs,
// events and repositories. 0 means no quota.
type quotas struct {
	RepoMB, RepoRuns, RepoEvents    int
	OwnerMB, OwnerRuns, OwnerEvents int
	OwnerRepos                      int
	Own                             string // quotas of certain repositories and owners
	Keep                            bool   // remove the oldest runs instead of refusing new runs
}

func defaultQuotas() quotas {
	return quotas{
		RepoMB: 64 << 10, RepoRuns: 200_000, RepoEvents: 20_000_000,
		OwnerMB: 256 << 10, OwnerRuns: 1_000_000, OwnerEvents: 100_000_000, OwnerRepos: 10_000,
	}
}

// quotaSettings are the settings of quotas.
var quotaSettings = []setting{
	{"quota-repo-mb", "max `MB` that a repository may store; 0 for no limit", false,
		number(func(c *Config) *int { return &c.Quotas.RepoMB })},
	{"quota-repo-runs", "max runs that a repository may start on a day; 0 for no limit", false,
		number(func(c *Config) *int { return &c.Quotas.RepoRuns })},
	{"quota-repo-events", "max events that a repository may add on a day; 0 for no limit", false,
		number(func(c *Config) *int { return &c.Quotas.RepoEvents })},
	{"quota-owner-mb", "max `MB` that all repositories of an owner may store; 0 for no limit", false,
		number(func(c *Config) *int { return &c.Quotas.OwnerMB })},
	{"quota-owner-runs", "max runs that all repositories of an owner may start on a day; 0 for no limit", false,
		number(func(c *Config) *int { return &c.Quotas.OwnerRuns })},
	{"quota-owner-events", "max events that all repositories of an owner may add on a day; 0 for no limit", false,
		number(func(c *Config) *int { return &c.Quotas.OwnerEvents })},
	{"quota-owner-repos", "max repositories of an owner that have runs; 0 for no limit", false,
		number(func(c *Config) *int { return &c.Quotas.OwnerRepos })},
	{"quotas", "`QUOTAS` of single owners and repositories, with lines or commas between: acme mb=500 runs=100, " +
		"acme/shop events=0", false, text(func(c *Config) *string { return &c.Quotas.Own })},
	{"keep-quota", "remove the oldest runs of a repository or owner that has used up 95 % of its storage, until 90 %",
		false, truth(func(c *Config) *bool { return &c.Quotas.Keep })},
}

// check returns an error if a number is negative or too large, or if the text in Own cannot be parsed.
func (q quotas) check() error {
	for name, n := range map[string]int{
		"quota-repo-mb": q.RepoMB, "quota-repo-runs": q.RepoRuns, "quota-repo-events": q.RepoEvents,
		"quota-owner-mb": q.OwnerMB, "quota-owner-runs": q.OwnerRuns, "quota-owner-events": q.OwnerEvents,
		"quota-owner-repos": q.OwnerRepos,
	} {
		if n < 0 || n > math.MaxInt32 {
			return wrong(name, fmt.Sprintf("it must be from 0 to %d, and is %d", math.MaxInt32, n), "blqd serve -h")
		}
	}
	_, err := q.store()
	return err
}

// store returns the quotas in the store's units. It returns an error if an entry of Own is not a quota of an owner or
// repository, or if two entries have the same name.
func (q quotas) store() (store.Quotas, error) {
	all := store.Quotas{
		Repo: store.Quota{Bytes: int64(q.RepoMB) << 20, Runs: q.RepoRuns, Events: q.RepoEvents},
		Owner: store.Quota{Bytes: int64(q.OwnerMB) << 20, Runs: q.OwnerRuns, Events: q.OwnerEvents,
			Repos: q.OwnerRepos},
		Own: map[string]store.Quota{},
	}
	for _, entry := range strings.FieldsFunc(q.Own, func(r rune) bool { return r == ',' || r == '\n' }) {
		fields := strings.Fields(entry)
		if len(fields) == 0 {
			continue
		}
		name := strings.ToLower(fields[0])
		own := all.Owner
		if strings.Contains(name, "/") {
			own = all.Repo
		}
		if _, again := all.Own[name]; again || !store.IsRepoName(name) && !store.IsRepoName(name+"/x") {
			return all, wrongQuota(entry)
		}
		set := map[string]bool{}
		for _, f := range fields[1:] {
			what, _, _ := strings.Cut(f, "=")
			if set[what] || !setQuota(&own, f) {
				return all, wrongQuota(entry)
			}
			set[what] = true
		}
		all.Own[name] = own
	}
	return all, nil
}

// setQuota sets a quota from a text such as mb=500. It returns false if the text is not a quota.
func setQuota(q *store.Quota, text string) bool {
	what, value, _ := strings.Cut(text, "=")
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 || n > math.MaxInt32 {
		return false
	}
	switch what {
	case "mb":
		q.Bytes = int64(n) << 20
	case "runs":
		q.Runs = n
	case "events":
		q.Events = n
	case "repos":
		q.Repos = n
	default:
		return false
	}
	return true
}

func wrongQuota(entry string) error {
	return wrong("quotas", fmt.Sprintf("%.100q is not a quota, or is the second of its name", strings.TrimSpace(entry)),
		`blqd serve --quotas 'acme mb=500 runs=100 events=1000000, acme/shop mb=100'`)
}
