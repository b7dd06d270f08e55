package store

import "strings"

// Quota is how much a repository or an owner may store. Zero fields do not limit.
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

// Shares returns how much of the quota a usage takes, where 1 is all of it, and 0 if nothing is limited.
func (q Quota) Shares(u Usage) (bytes, runs, events float64) {
	return share(u.Bytes, q.Bytes), share(int64(u.DayRuns), int64(q.Runs)), share(int64(u.DayEvents), int64(q.Events))
}

func share(taken, quota int64) float64 {
	if quota <= 0 {
		return 0
	}
	return float64(taken) / float64(quota)
}

// Claim is what a request is about to add to a store.
type Claim struct {
	Runs, Events int
	Bytes        int64
}

// ClaimOf returns the claim of a batch of events.
func ClaimOf(events []Event) Claim {
	c := Claim{Events: len(events), Bytes: BatchRow}
	for i := range events {
		c.Bytes += EventRow + events[i].TextBytes()
	}
	return c
}

// Plus returns the sum of two claims.
func (c Claim) Plus(d Claim) Claim {
	return Claim{c.Runs + d.Runs, c.Events + d.Events, c.Bytes + d.Bytes}
}

// Max returns the larger of each number of two claims.
func (c Claim) Max(d Claim) Claim {
	return Claim{max(c.Runs, d.Runs), max(c.Events, d.Events), max(c.Bytes, d.Bytes)}
}

// These are the least amounts that have to be left of a quota if replicas need not know each other's claims: more than
// the requests at one replica add. A tenth of the quota has to be left, too.
const (
	nearRuns   = 100
	nearEvents = 500_000
	nearBytes  = 512 << 20
)

// Near reports whether a usage with some claims is so close to the quota that the claims of other replicas matter.
func (q Quota) Near(u Usage, claims Claim) bool {
	return q.Runs > 0 && u.DayRuns+claims.Runs > q.Runs-max(q.Runs/10, nearRuns) ||
		q.Events > 0 && u.DayEvents+claims.Events > q.Events-max(q.Events/10, nearEvents) ||
		q.Bytes > 0 && u.Bytes+claims.Bytes > q.Bytes-max(q.Bytes/10, nearBytes)
}
