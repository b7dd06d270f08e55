package realms

import (
	"context"
	"time"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// stranger replaces the name of a member that the caller may not see.
const stranger = "hidden"

// Member implements query.Realms.
func (s Stored) Member(_ context.Context, of query.RealmOf) (query.RealmFound, error) {
	if of.Repo == "" || !s.Scope.Has(of.Repo) {
		return query.RealmFound{}, store.Errorf(store.NotFound, "there is no repository %.100s", of.Repo)
	}
	return query.RealmFound{Repo: of.Repo}, nil
}

// Notices implements query.Realms.
func (s Stored) Notices(ctx context.Context, found query.RealmFound) ([]store.Notification, error) {
	list, err := s.Told.Notifications(ctx, s.Scope, found.Repo, s.Reader)
	for i, n := range list {
		if !s.Scope.Has(n.FromRepo) {
			list[i].From = stranger
		}
	}
	return list, err
}

// Mark implements query.Realms.
func (s Stored) Mark(ctx context.Context, found query.RealmFound, seen, expired []string, at time.Time) error {
	return s.Told.MarkNotifications(ctx, found.Repo, s.Reader, seen, expired, at)
}
