package storetest

import (
	"sync"
	"time"

	"github.com/blq-ci/blq/store"
)

// worked returns a session of a reader that began some hours after the start.
func worked(id, repo, reader string, hours int) store.Session {
	at := start.Add(time.Duration(hours) * time.Hour)
	return store.Session{ID: id, Repo: repo, Reader: reader, Realm: "aperture", Member: "blue", RFC: "ü\x00",
		Domains: []string{"s3"}, Modified: []string{"s3/c"}, Watched: []string{}, Base: map[string]string{"s3/c": "x"},
		StartedAt: at, ActiveAt: at}
}

// opened opens a session. It returns the open session, and reports whether the session was added.
func (f fixture) opened(s store.Session) (store.Session, bool) {
	f.Helper()
	got, added, err := f.s.OpenSession(f.Context(), s)
	f.ok(err)
	return got, added
}

var sessionTests = map[string]func(f fixture){
	"a session is returned to its reader as it was opened": func(f fixture) {
		mine, theirs := worked("1", "o/a", "me", 0), worked("2", "o/a", "you", 1)
		for _, s := range []store.Session{mine, theirs} {
			got, added := f.opened(s)
			f.equal(got, s)
			f.equal(added, true)
			got, err := f.s.Session(f.Context(), s.Repo, s.Reader)
			f.ok(err)
			f.equal(got, s)
		}
		for _, other := range [][2]string{{"o/b", "me"}, {"o/a", "him"}, {"", ""}} {
			_, err := f.s.Session(f.Context(), other[0], other[1])
			f.refused(err, store.NotFound, "No active session. Nothing to stop.")
		}
	},
	"there is one session until it is idle": func(f fixture) {
		first := worked("1", "o/a", "me", 0)
		f.opened(first)
		got, added := f.opened(worked("2", "o/a", "me", 23))
		f.equal(got, first)
		f.equal(added, false)
		f.ok(f.s.TouchSession(f.Context(), first, start.Add(10*time.Hour)))
		f.ok(f.s.TouchSession(f.Context(), first, start.Add(9*time.Hour))) // ActiveAt never becomes earlier
		f.ok(f.s.TouchSession(f.Context(), worked("9", "o/a", "me", 0), start.Add(99*time.Hour)))
		first.ActiveAt = start.Add(10 * time.Hour)
		got, added = f.opened(worked("3", "o/a", "me", 33))
		f.equal(got, first)
		f.equal(added, false)
		last := worked("4", "o/a", "me", 34)
		got, added = f.opened(last)
		f.equal(got, last)
		f.equal(added, true)
	},
	"of those that start together one wins": func(f fixture) {
		var all sync.WaitGroup
		var added [4]bool
		for i := range added {
			all.Go(func() {
				_, added[i], _ = f.s.OpenSession(f.Context(), worked(string(rune('a'+i)), "o/a", "me", 0))
			})
		}
		all.Wait()
		won := 0
		for _, yes := range added {
			if yes {
				won++
			}
		}
		f.equal(won, 1)
	},
	"a session ends once": func(f fixture) {
		s := worked("1", "o/a", "me", 0)
		f.opened(s)
		f.opened(worked("1", "o/a", "you", 0))
		for _, other := range []store.Session{worked("2", "o/a", "me", 0), worked("1", "o/b", "me", 0)} {
			f.refused(f.s.EndSession(f.Context(), other), store.NotFound, "No active session")
		}
		f.ok(f.s.EndSession(f.Context(), s))
		f.refused(f.s.EndSession(f.Context(), s), store.NotFound, "No active session")
		_, err := f.s.Session(f.Context(), "o/a", "you")
		f.ok(err)
	},
	"those that were not active are dropped": func(f fixture) {
		f.opened(worked("1", "o/a", "me", 0))
		f.opened(worked("2", "o/b", "me", 5))
		n, err := f.s.DropSessions(f.Context(), start.Add(5*time.Hour))
		f.ok(err)
		f.equal(n, 1)
		_, err = f.s.Session(f.Context(), "o/b", "me")
		f.ok(err)
	},
}
