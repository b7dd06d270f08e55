package store

import "strings"

// Quota is how much of a store a repository or an owner may take. Zero fields do not limit.
type Quota struct {
	Bytes  int64 // stored, see Usage.Bytes
	Runs   int   // started on a day
	Events int   // added on a day
	Repos  int   // with runs, of an owner
}

// Quotas are the quotas of all repositories and owners.
type Quotas struct {
	Repo  Quota            // of each repository
	Owner Quota            // of each owner
	Own   map[string]Quota // by the name of a repository or an owner in lower case, instead of the others
}

// Of returns the quota of a repository or an owner.
func (q Quotas) Of(u Usage) Quota {
	if own, ok := q.Own[strings.ToLower(u.Name())]; ok {
		return own
	}
	if u.IsOwner() {
		return q.Owner
	}
	return q.Repo
}

// None reports whether nothing is limited.
func (q Quotas) None() bool {
	for _, own := range q.Own {
		if own != (Quota{}) {
			return false
		}
	}
	return q.Repo == Quota{} && q.Owner == Quota{}
}

// Shares returns which parts of its quota a usage takes, 0 where nothing is limited. The quota is taken at 1.
func (q Quota) Shares(u Usage) (bytes, runs, events float64) {
	return share(u.Bytes, q.Bytes), share(int64(u.DayRuns), int64(q.Runs)), share(int64(u.DayEvents), int64(q.Events))
}

func share(taken, quota int64) float64 {
	if quota <= 0 {
		return 0
	}
	return float64(taken) / float64(quota)
}
