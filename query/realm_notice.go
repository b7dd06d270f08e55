package query

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/blq-ci/blq/facts/realm"
	"github.com/blq-ci/blq/store"
)

// notices stores the notifications of repositories about changed contracts.
type notices interface {
	// Member returns the part of a repository's realm that Notices and Mark need. NotFound: the repository belongs to
	// no realm.
	Member(ctx context.Context, of RealmOf) (RealmFound, error)
	// Notices returns the notifications of a repository, newest first. Each notification says whether the caller has
	// seen it.
	Notices(ctx context.Context, found RealmFound) ([]store.Notification, error)
	// Mark records which notifications the caller has seen, and which have expired.
	Mark(ctx context.Context, found RealmFound, seen, expired []string, at time.Time) error
}

// Notification tells a repository that a contract has changed.
type Notification struct {
	ID         string         `json:"id" jsonschema:"id"`
	Realm      string         `json:"realm" jsonschema:"name"`
	Domain     string         `json:"domain" jsonschema:"domain"`
	Contract   string         `json:"contract" jsonschema:"contract"`
	FromRepo   string         `json:"from_repo" jsonschema:"who changed it"`
	ChangeType string         `json:"change_type" jsonschema:"such as VersionChanged"`
	Changes    ContractChange `json:"changes" jsonschema:"from and to"`
	CreatedAt  string         `json:"created_at" jsonschema:"time"`
	State      string         `json:"state" jsonschema:"pending, seen or expired"`
	Supersedes string         `json:"supersedes,omitempty" jsonschema:"id of an earlier one"`
}

// ContractChange holds the versions of a contract before and after a change.
type ContractChange struct {
	OldVersion string `json:"old_version,omitempty" jsonschema:"before"`
	NewVersion string `json:"new_version,omitempty" jsonschema:"now"`
	Compatible *bool  `json:"compatible,omitempty" jsonschema:"nothing breaks"`
}

// These are the states of notifications.
const (
	pendingState = "pending"
	seenState    = "seen"
	expiredState = "expired"
)

// NotificationsListParams select notifications by state.
type NotificationsListParams struct {
	RealmAt
	State string `json:"state,omitempty" jsonschema:"which ones" enum:"pending,seen,expired,all" default:"\"all\""`
}

// NotificationsList holds the notifications of a repository.
type NotificationsList struct {
	Status        string              `json:"status" jsonschema:"success"`
	Realm         string              `json:"realm" jsonschema:"name"`
	CurrentRepo   string              `json:"current_repo" jsonschema:"empty for the realm's own repository"`
	Filter        string              `json:"filter" jsonschema:"state that was asked for"`
	Notifications []Notification      `json:"notifications" jsonschema:"newest first"`
	Summary       NotificationSummary `json:"summary" jsonschema:"counts"`
	NextSteps     []string            `json:"next_steps" jsonschema:"advice"`
}

// NotificationSummary holds numbers of notifications.
type NotificationSummary struct {
	Total          int `json:"total" jsonschema:"listed here"`
	Pending        int `json:"pending" jsonschema:"not seen before"`
	Seen           int `json:"seen" jsonschema:"seen before"`
	ExpiredCleaned int `json:"expired_cleaned" jsonschema:"expired since the last call"`
}

// NotificationsList lists the notifications of the repository. It marks the pending notifications in the answer as
// seen. The error is Invalid if p.State is unknown.
func (a *Asker) NotificationsList(ctx context.Context, p NotificationsListParams) (NotificationsList, error) {
	if p.State == "" {
		p.State = "all"
	}
	if !slices.Contains([]string{pendingState, seenState, expiredState, "all"}, p.State) {
		return NotificationsList{}, store.Next(store.Errorf(store.Invalid, "there is no state %.40q", p.State),
			store.NewCall("notifications_list", "or seen, expired, all", "state", pendingState))
	}
	found, err := a.realm(ctx, RealmOf{RealmAt: p.RealmAt})
	if err != nil {
		return NotificationsList{}, err
	}
	told, err := a.notified(ctx, found, p.State)
	if err != nil {
		return NotificationsList{}, err
	}
	l := NotificationsList{Status: succeeded, Realm: found.Name, CurrentRepo: found.Current, Filter: p.State,
		Notifications: told.list, Summary: told.summary, NextSteps: told.next()}
	l.Summary.Total = len(l.Notifications)
	if len(l.NextSteps) == 0 {
		l.NextSteps = []string{"No pending notifications"}
	}
	return l, nil
}

// noticeList holds notifications of a repository: those in the requested states, and all that are pending.
type noticeList struct {
	list    []Notification // notifications in one of the requested states
	pending []Notification
	summary NotificationSummary
}

// notified returns the notifications in a state, and marks them as seen.
func (a *Asker) notified(ctx context.Context, found RealmFound, state string) (noticeList, error) {
	t := noticeList{list: []Notification{}}
	all, err := a.Realms.Notices(ctx, found)
	if err != nil {
		return t, err
	}
	later := replacements{}
	now := a.now()
	var seen, expired []string
	for _, n := range all {
		one, old := noticeOf(n, now), later.replaced(n)
		switch one.State {
		case expiredState:
			if n.ExpiredAt.IsZero() {
				expired = append(expired, n.ID)
			}
		case pendingState:
			if old {
				continue // a later notification about the same subject replaces this one
			}
			t.pending = append(t.pending, one)
			if state == pendingState || state == "all" {
				seen = append(seen, n.ID)
			}
		default:
			t.summary.Seen++
		}
		if state == one.State || state == "all" {
			t.list = append(t.list, one)
		}
	}
	t.summary.Pending, t.summary.ExpiredCleaned = len(t.pending), len(expired)
	if len(seen)+len(expired) == 0 {
		return t, nil
	}
	return t, a.Realms.Mark(ctx, found, seen, expired, now)
}

// replacements holds the IDs of notifications that have a later notification about the same subject. The value is true
// if one of the later notifications is about a breaking change. All changes count as breaking, except for a new version
// that is compatible.
type replacements map[string]bool

// replaced reports whether a later notification replaces n. It must be called for all notifications of a repository,
// newest first. A notification about a compatible version does not replace one about a breaking change, because members
// must still learn of the breaking change.
func (r replacements) replaced(n store.Notification) bool {
	breaks := n.Breaking || n.Change != string(realm.VersionChanged)
	later, replaced := r[n.ID]
	if n.Supersedes != "" {
		r[n.Supersedes] = later || breaks
	}
	return replaced && (later || !breaks)
}

// noticeOf returns a notification in the form that answers show.
func noticeOf(n store.Notification, now time.Time) Notification {
	one := Notification{ID: n.ID, Realm: n.Realm, Domain: n.Domain, Contract: n.Contract, FromRepo: n.From,
		ChangeType: n.Change, Changes: ContractChange{OldVersion: n.OldVersion, NewVersion: n.NewVersion},
		CreatedAt: stamp(n.CreatedAt), State: pendingState, Supersedes: n.Supersedes}
	if n.OldVersion != "" && n.NewVersion != "" {
		compatible := !n.Breaking
		one.Changes.Compatible = &compatible
	}
	switch {
	case !now.Before(n.CreatedAt.Add(store.NotificationExpires)):
		one.State = expiredState
	case !n.SeenAt.IsZero():
		one.State = seenState
	}
	return one
}

// next returns the next steps after pending notifications.
func (t noticeList) next() []string {
	if len(t.pending) == 0 {
		return nil
	}
	steps := []string{"1 pending notification to review"}
	if n := len(t.pending); n > 1 {
		steps[0] = fmt.Sprintf("%d pending notifications to review", n)
	}
	for _, n := range t.pending {
		if len(steps) == maxNextSteps {
			break
		}
		if step := n.next(); step != "" && !slices.Contains(steps, step) {
			steps = append(steps, step)
		}
	}
	return steps
}

// next returns the next step after a notification.
func (n Notification) next() string {
	switch realm.ChangeType(n.ChangeType) {
	case realm.VersionChanged:
		if n.Changes.Compatible != nil && !*n.Changes.Compatible {
			return fmt.Sprintf("Contract %s was updated and breaks consumers - review changes", n.Contract)
		}
		return fmt.Sprintf("Contract %s was updated - review changes", n.Contract)
	case realm.ContractRemoved:
		return fmt.Sprintf("Contract %s was removed - remove the import", n.Contract)
	case realm.ContractAdded:
		return fmt.Sprintf("Contract %s is new - import it if you need it", n.Contract)
	}
	return ""
}

// withNotices returns next steps for the notifications, followed by the given steps. It returns at most maxNextSteps
// steps.
func (t noticeList) withNotices(steps []string) []string {
	all := append(t.next(), steps...)
	return all[:min(len(all), maxNextSteps)]
}
