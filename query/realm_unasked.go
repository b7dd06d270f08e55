package query

import (
	"context"
	"slices"

	"github.com/blq-ci/blq/store"
)

// Unasked holds notifications about contracts. They are added to answers to questions that did not ask for
// notifications.
type Unasked struct {
	Notices []Notification `json:"notifications,omitempty" jsonschema:"changed contracts" schema:"unlisted"`
	More    int            `json:"more_notifications,omitempty" jsonschema:"further ones" schema:"unlisted"`
}

// maxUnasked is the max number of contract notifications in Unasked.
const maxUnasked = 3

// unasked returns the newest pending notifications of a repository, and marks them as seen. It returns no notifications
// for a repository without a realm.
func (a *Asker) unasked(ctx context.Context, repo string) (Unasked, error) {
	found, all, err := a.notices(ctx, repo)
	if err != nil || len(all) == 0 {
		return Unasked{}, err
	}
	now := a.now()
	later := replacements{}
	var u Unasked
	var seen []string
	for _, n := range all {
		one, old := noticeOf(n, now), later.replaced(n)
		switch {
		case one.State != pendingState || old:
		case len(u.Notices) == maxUnasked:
			u.More++
		default:
			u.Notices, seen = append(u.Notices, one), append(seen, n.ID)
		}
	}
	if len(seen) == 0 {
		return u, nil
	}
	return u, a.Realms.Mark(ctx, found, seen, nil, now)
}

// isMember reports whether a repository belongs to a realm.
func (a *Asker) isMember(ctx context.Context, repo string) bool {
	if a.Realms == nil {
		return false
	}
	_, err := a.Realms.Realm(ctx, RealmOf{RealmAt: RealmAt{Repo: repo}})
	return err == nil
}

// notices returns the realm of a repository, and the repository's notifications, newest first. It returns no
// notifications for a repository without a realm. If repo is "" and the scope names several repositories, it also
// returns no notifications.
func (a *Asker) notices(ctx context.Context, repo string) (RealmFound, []store.Notification, error) {
	if names := a.Scope.Names(); repo == "" && !a.Scope.All() && len(names) == 1 {
		repo = names[0]
	}
	if a.Realms == nil || repo == "" && !a.Scope.All() {
		return RealmFound{}, nil, nil
	}
	found, err := a.Realms.Member(ctx, RealmOf{RealmAt: RealmAt{Repo: repo}})
	var all []store.Notification
	if err == nil {
		all, err = a.Realms.Notices(ctx, found)
	}
	if slices.Contains([]store.Code{store.NotFound, store.Invalid, store.TooLarge}, store.CodeOf(err)) {
		return RealmFound{}, nil, nil // realm_check reports the problem
	}
	return found, all, err
}
