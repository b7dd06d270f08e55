package store

import "strings"

// Quota limits the data of a repository or an owner. A zero field sets no limit.
type Quota struct {
	Bytes  int64 // max stored bytes, see Usage.Bytes
	Runs   int   // max runs that start on one day
	Events int   // max events that are added on one day
	Repos  int   // max repositories of an owner that have runs
}

// Quotas holds the quotas of all repositories and owners.
type Quotas struct {
	Repo  Quota            // quota of each repository
	Owner Quota            // quota of each owner
	Own   map[string]Quota // quotas of certain repositories and owners, by name in lower case
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

// None reports whether no quota sets a limit.
func (q Quotas) None() bool {
	for _, own := range q.Own {
		if own != (Quota{}) {
			return false
		}
	}
	return q.Repo == Quota{} && q.Owner == Quota{}
}

// Shares returns the used parts of the quota of bytes, runs and events. 1 means that all of a quota is used. Without a
// limit, the part is 0.
func (q Quota) Shares(u Usage) (bytes, runs, events float64) {
	return share(u.Bytes, q.Bytes), share(int64(u.DayRuns), int64(q.Runs)), share(int64(u.DayEvents), int64(q.Events))
}

func share(taken, quota int64) float64 {
	if quota <= 0 {
		return 0
	}
	return float64(taken) / float64(quota)
}

// Claim is the amount of data that a request is about to add to a store.
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

// Max returns a claim with the larger number of c and d for each kind of data.
func (c Claim) Max(d Claim) Claim {
	return Claim{max(c.Runs, d.Runs), max(c.Events, d.Events), max(c.Bytes, d.Bytes)}
}

// A replica may ignore the claims of other replicas while enough of a quota is free. Enough is at least a tenth of the
// quota, and at least these amounts, because all requests at one replica together add less.
const (
	nearRuns   = 100
	nearEvents = 500_000
	nearBytes  = 512 << 20
)

// Near reports whether a usage together with some claims is so near the quota that the claims of other replicas matter.
func (q Quota) Near(u Usage, claims Claim) bool {
	return q.Runs > 0 && u.DayRuns+claims.Runs > q.Runs-max(q.Runs/10, nearRuns) ||
		q.Events > 0 && u.DayEvents+claims.Events > q.Events-max(q.Events/10, nearEvents) ||
		q.Bytes > 0 && u.Bytes+claims.Bytes > q.Bytes-max(q.Bytes/10, nearBytes)
}
