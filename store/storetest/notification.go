package storetest

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/blq-ci/blq/store"
)

// notice returns the n-th notification, which goes to the given repositories.
func notice(n int, to ...string) store.Told {
	return store.Told{To: to, Notification: store.Notification{ID: fmt.Sprintf("notif-%03d", n),
		Key: fmt.Sprintf("key %d", n), Realm: "o/realm", Domain: "s3", Contract: fmt.Sprintf("c%d", n), From: "blue",
		FromRepo: "o/blue", Change: "VersionChanged", OldVersion: "1.0.0", NewVersion: "1.1.0 \x00ü", Breaking: true,
		CreatedAt: start.Add(time.Duration(n) * time.Hour)}}
}

// announce announces notifications. version is the version of the state before the announcement.
func (f fixture) announce(version int, list ...store.Told) int {
	f.Helper()
	n, err := f.s.Announce(f.Context(), store.Announcement{Realm: "o/realm", Version: version,
		Heads: map[string]string{"o/blue": commitHash(version)}, Told: list})
	f.ok(err)
	return n
}

// notices returns the notifications of a repository.
func (f fixture) notices(repo, reader string) []store.Notification {
	f.Helper()
	list, err := f.s.Notifications(f.Context(), everything, repo, reader)
	f.ok(err)
	return list
}

// ids returns the IDs of notifications.
func ids(list []store.Notification) []string {
	var all []string
	for _, n := range list {
		all = append(all, n.ID)
	}
	return all
}

var notificationTests = map[string]func(f fixture){
	"what was announced is read by its recipients": func(f fixture) {
		one, two := notice(1, "o/a", "o/b", "o/a"), notice(2, "o/b")
		f.equal(f.announce(0, one, two), 2)
		f.equal(f.notices("o/a", "me"), []store.Notification{one.Notification})
		f.equal(f.notices("o/b", "me"), []store.Notification{two.Notification, one.Notification})
		f.equal(f.notices("o/blue", "me"), []store.Notification(nil))
		for _, sc := range []store.Scope{{}, store.Repos("o/b")} {
			list, err := f.s.Notifications(f.Context(), sc, "o/a", "me")
			f.ok(err)
			f.equal(list, []store.Notification(nil))
		}
	},
	"a change is told once": func(f fixture) {
		f.equal(f.announce(0, notice(1, "o/a")), 1)
		again := notice(1, "o/a", "o/b")
		again.ID = "notif-other"
		f.equal(f.announce(1, again, notice(2, "o/a")), 1)
		f.equal(ids(f.notices("o/a", "")), []string{"notif-002", "notif-001"})
		f.equal(ids(f.notices("o/b", "")), []string(nil))
	},
	"a later change supersedes an earlier one of the contract": func(f fixture) {
		later := notice(2, "o/a")
		later.Contract = "c1"
		f.announce(0, notice(1, "o/a"))
		f.announce(1, later, notice(3, "o/a"))
		var got []string
		for _, n := range f.notices("o/a", "") {
			got = append(got, n.Supersedes)
		}
		f.equal(got, []string{"", "notif-001", ""})
	},
	"only one announcement follows a state": func(f fixture) {
		state, err := f.s.RealmState(f.Context(), "o/realm")
		f.ok(err)
		f.equal(state, store.RealmState{})
		f.announce(0, notice(1, "o/a"))
		state, err = f.s.RealmState(f.Context(), "o/realm")
		f.ok(err)
		f.equal(state, store.RealmState{Version: 1, Heads: map[string]string{"o/blue": commitHash(0)}})
		for _, version := range []int{0, 2} {
			_, err := f.s.Announce(f.Context(), store.Announcement{Realm: "o/realm", Version: version,
				Told: []store.Told{notice(9, "o/a")}})
			f.refused(err, store.Conflict, "somebody else")
		}
		f.equal(len(f.notices("o/a", "")), 1)
		var both sync.WaitGroup
		var won [4]error
		for i := range won {
			both.Go(func() {
				_, won[i] = f.s.Announce(f.Context(), store.Announcement{Realm: "o/realm", Version: 1,
					Told: []store.Told{notice(10+i, "o/a")}})
			})
		}
		both.Wait()
		f.equal(len(f.notices("o/a", "")), 2)
		failed := 0
		for _, err := range won {
			if store.CodeOf(err) == store.Conflict {
				failed++
			}
		}
		f.equal(failed, 3)
	},
	"only the newest are listed": func(f fixture) {
		var all []store.Told
		for n := range store.MaxNotifications + 5 {
			t := notice(n, "o/a")
			t.ID = fmt.Sprintf("notif-%06d", n)
			all = append(all, t)
		}
		f.announce(0, all...)
		list := f.notices("o/a", "me")
		f.equal(len(list), store.MaxNotifications)
		f.equal([]string{list[0].ID, list[len(list)-1].ID}, []string{all[len(all)-1].ID, all[5].ID})
		for repo, want := range map[string]bool{"o/a": true, "o/b": false} {
			is, err := f.s.Notified(f.Context(), repo, all[0].ID)
			f.ok(err)
			f.equal(is, want)
		}
	},
	"each reader of each repository is told": func(f fixture) {
		f.announce(0, notice(1, "o/a", "o/b"), notice(2, "o/a"))
		at := start.Add(9 * time.Hour)
		f.ok(f.s.MarkNotifications(f.Context(), "o/a", "me", []string{"notif-001", "notif-009"}, nil, at))
		f.ok(f.s.MarkNotifications(f.Context(), "o/a", "me", []string{"notif-001"}, []string{"notif-001"}, at.Add(time.Hour)))
		f.ok(f.s.MarkNotifications(f.Context(), "o/b", "me", []string{"notif-002"}, nil, at))
		one := f.notices("o/a", "me")[1]
		f.equal([]time.Time{one.SeenAt, one.ExpiredAt}, []time.Time{at, at.Add(time.Hour)})
		for _, n := range append(f.notices("o/a", "you"), append(f.notices("o/b", "me"), f.notices("o/a", "me")[0])...) {
			f.equal(n.SeenAt.IsZero() && n.ExpiredAt.IsZero(), true)
		}
	},
	"old ones are dropped": func(f fixture) {
		f.announce(0, notice(1, "o/a"), notice(5, "o/a"))
		f.ok(f.s.MarkNotifications(f.Context(), "o/a", "me", []string{"notif-001", "notif-005"}, nil, start))
		n, err := f.s.DropNotifications(f.Context(), start.Add(5*time.Hour))
		f.ok(err)
		f.equal(n, 1)
		f.equal(ids(f.notices("o/a", "me")), []string{"notif-005"})
		f.equal(f.announce(1, notice(1, "o/a")), 1) // the removed notification may be announced again
		f.equal(f.notices("o/a", "me")[1].SeenAt.IsZero(), true)
	},
	"contracts of branches are news until they are answered": func(f fixture) {
		ofContracts := func(s *store.Snapshot) { s.Kind = store.FactContracts }
		f.tell(snapshot(1, 0x100, ofContracts), nil, 1)
		f.tell(snapshot(2, 0x101, ofContracts), nil, 1)
		f.tell(snapshot(3, 0x102), nil, 1)                                     // documents are no news
		f.tell(snapshot(4, 0x101, ofContracts, of("o/b"), ofFork(12)), nil, 1) // contracts from a fork are no news
		f.tell(snapshot(5, 0x101, ofContracts, of("o/c"), onNone), nil, 1)     // contracts without a branch are no news
		f.tell(snapshot(5, 0x101, ofContracts, of("o/c")), nil, 1)             // the same contracts with a branch
		f.tell(snapshot(5, 0x101, ofContracts, of("o/c")), nil, 1)             // a repeated call is no news
		news, err := f.s.RealmNews(f.Context())
		f.ok(err)
		f.equal(slices.Sorted(maps.Keys(news)), []string{"o/a", "o/c"})
		f.tell(snapshot(6, 0x101, ofContracts), nil, 1) // added between reading the news and announcing
		_, err = f.s.Announce(f.Context(), store.Announcement{News: news})
		f.ok(err)
		later, err := f.s.RealmNews(f.Context())
		f.ok(err)
		f.equal(slices.Collect(maps.Keys(later)), []string{"o/a"})
		f.equal(later["o/a"] > news["o/a"], true)
	},
	"the numbers of news are never used again": func(f fixture) {
		seen := map[int]bool{}
		for i := range 5 {
			f.tell(snapshot(1+i, 0x100+i, func(s *store.Snapshot) { s.Kind = store.FactContracts }), nil, 1)
			news, err := f.s.RealmNews(f.Context())
			f.ok(err)
			f.equal(seen[news["o/a"]], false)
			seen[news["o/a"]] = true
			_, err = f.s.Announce(f.Context(), store.Announcement{News: news})
			f.ok(err)
		}
		f.equal(len(seen), 5)
	},
}

// onNone removes the branch of a snapshot.
func onNone(s *store.Snapshot) { s.Branch = "" }
